"""Configuration: presets, validated, applied and exported."""
