"""HTTP/1.1 as every door speaks it: bounded connections, requests and responses, and who may come in.

The way in is `bounded_http.py`. Knows nothing of what is served: `mcp/transports` and `observatory` do.
"""
