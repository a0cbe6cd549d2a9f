"""The verbs of automation."""
