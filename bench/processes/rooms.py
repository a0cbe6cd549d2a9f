"""`python rooms.py [ROOM…]`: our server over stdio with these rooms alone, or with all: how a start grows with them."""

from __future__ import annotations

import sys

from thoughtbox import domains
from thoughtbox.doors.cli.main import main

# What else knows the rooms (a catalog made beforehand) has to be told here, too.
if sys.argv[1:]:
    vars(domains)["ROOMS"] = tuple(sys.argv[1:])
sys.exit(main(["serve", "--transport", "stdio"]))
