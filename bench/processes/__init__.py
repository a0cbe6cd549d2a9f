"""Programs that a run starts: what has to be alone in its process to be measured, or to be stopped."""
