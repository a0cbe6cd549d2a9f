"""How messages come and go: `stdio.py` and `http.py` serve, each until it is told to end."""
