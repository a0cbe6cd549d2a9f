"""What agents can read and start from: mental models, resources, prompts, completions."""
