"""Doors bring calls in and answers out: MCP, the command line, hosts' hooks. The only layer that knows a protocol.

Each door opens a `thoughtbox.app.Thoughtbox` and hands calls to its dispatcher.
"""
