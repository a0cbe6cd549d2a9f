"""What can be learnt from a session. Way in: `learn.py`. Pure logic but for `proposals.py`, which asks the views."""
