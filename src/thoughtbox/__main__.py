"""`python -m thoughtbox` is the command line."""

import sys

from thoughtbox.doors.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
