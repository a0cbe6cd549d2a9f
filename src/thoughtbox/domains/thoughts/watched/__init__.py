"""Sessions as people who watch are shown them ("Observatory Types" of the document). Reads only."""
