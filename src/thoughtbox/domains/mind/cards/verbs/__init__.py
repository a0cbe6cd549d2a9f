"""What can be done with cards, by what it does: each module declares its operations."""
