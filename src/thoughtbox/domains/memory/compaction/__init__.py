"""Compaction: what an agent was doing, kept and given back when its context is gone."""
