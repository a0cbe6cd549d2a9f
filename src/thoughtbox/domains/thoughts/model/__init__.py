"""What the room talks about: thoughts, critiques and sessions as plain values. No database, no protocol."""
