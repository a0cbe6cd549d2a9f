"""The tables that answer questions about sessions, lines of thought and links. Way in: `thoughts.py`."""
