"""Jobs: work that is handed to a runner, what came of it, and which runners are there."""
