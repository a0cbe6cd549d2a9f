"""The MCP door on the official SDK's low-level server: what the door of the product is held against.

It serves the same table of operations on its own, over stdio and HTTP: `python -m tests.support.sdk_door stdio|http`.
Tests send both doors the same requests and compare the answers; the bench measures it as the state before. It takes
nothing from `thoughtbox.doors.mcp`. What is on the path of a call or of a start is as it was; what only guards a server
in service (probes of lost clients, the id of an oversized line, streams of removed tokens) has been left out.
"""
