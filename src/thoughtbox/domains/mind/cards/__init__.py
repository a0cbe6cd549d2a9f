"""Cards: explicit pieces of thinking of eight types, how they are read, stamped, and written by a playbook."""
