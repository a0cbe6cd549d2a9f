"""The command line: `thoughtbox serve`, `call`, `verify` and the others, one file per command.

Way in: `main.py`, then `parser.py` (what can be said) and `running.py` (how it is run, and what the exit code
means). A command imports what it needs when it runs, so that the short ones stay short.
"""
