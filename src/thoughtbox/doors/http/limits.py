"""What a connection over HTTP may cost before anybody is asked for a token: bytes, time, descriptors."""

from __future__ import annotations

HEAD_SECONDS = 30.0
"""From the first byte of a request to the end of its headers."""

BODY_SECONDS = 30.0
"""From there to its end. This holds, too, for what is still sent after a refusal."""

SILENCE_SECONDS = 60.0
"""Without a request, or without the client taking its answer. Clients keep an idle connection for less."""

LEAVING_SILENCE_SECONDS = 6.0
"""Without a request to a server that leaves. Most clients use no connection again that was idle for 5 s."""

LEAVING_SECONDS = 90.0
"""How long a server that leaves waits for what is under way: longer than a client's model may take to answer."""

LONGEST_HEAD = 1 << 16
"""Bytes of a request's first line and headers, of one chunk's extensions, and of all trailers."""

MOST_CONNECTIONS = 5_000
"""Open at once: as many sessions as there may be, each with a stream and a call, and room for newcomers."""

SPARE_DESCRIPTORS = 64
"""Not for connections, but for the store, and for newcomers that are let in before others are closed."""

PROBE_SECONDS = 0.5
"""How often it is seen to whether a client that sends nothing more still hears us."""

COMPLAINT_SECONDS = 10.0
"""The log says once in this time that there are too many connections."""

MOST_IN_A_TURN = 16
"""Requests of one connection that are answered before others have their turn, if they come without waiting."""
