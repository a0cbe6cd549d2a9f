"""What this room keeps to answer questions: branches and their documents, and the graph."""
