"""Episodes, and what is distilled from them: scenes, cells, evidence."""
