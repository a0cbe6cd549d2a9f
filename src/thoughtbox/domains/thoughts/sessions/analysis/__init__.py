"""What the thoughts of a session amount to, in figures and in a closer look. Pure logic."""
