"""What an agent was doing, kept for when its context is gone: prompts, cycles, and a pack of 2,000 characters.

`packing.py` fits lines into a length, `gathering.py` finds them, `records.py` is what a host's hooks write down.
"""
