"""The MCP door, on the official SDK's low-level server: all protocol revisions it knows, over stdio and HTTP.

Way in: `server.py`. What a client sees is derived from the table of operations:
`tools.py`, `resources.py`, `prompts.py`.
"""
