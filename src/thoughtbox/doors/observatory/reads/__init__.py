"""What is read for those who watch, each within one transaction: a page, never more."""
