"""Documents: notes and traces, appended to and never changed."""
