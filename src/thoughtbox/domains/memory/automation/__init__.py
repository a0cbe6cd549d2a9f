"""Automation: hooks, session state, health, import, project context."""
