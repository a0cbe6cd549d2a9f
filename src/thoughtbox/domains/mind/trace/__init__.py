"""The trace: steps in the order they were taken, the graph that their numbers make, and what is wrong with them."""
