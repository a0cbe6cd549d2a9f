"""The cipher: its notation, and what a step of it means in the ledger. Pure logic."""
