"""Thinking: record a thought, read thoughts back, see how they hang together, criticise one."""
