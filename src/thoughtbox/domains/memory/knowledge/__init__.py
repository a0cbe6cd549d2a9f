"""Knowledge: what worked and what did not, found again by words."""
