"""The Observatory: people watch, search, compare and prove what is in the ledger, live, in a browser.

HTTP (GET only) and WebSocket, over what all rooms and all processes have written. The way in is `server.py`. It never
writes. Imports the app, the operations, `doors/http`, and of the rooms what their documents say of people who watch.
"""
