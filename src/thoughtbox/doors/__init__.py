"""Doors bring calls in and answers out: MCP and the command line. The only layer that knows a protocol.

Each door opens a `thoughtbox.app.Thoughtbox` and hands calls to its dispatcher.
"""
