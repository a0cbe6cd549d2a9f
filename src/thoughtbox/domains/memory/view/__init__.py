"""The tables that answer this room's questions."""
