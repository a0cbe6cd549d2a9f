"""Anchors: the meaning map. Areas of a system that cards are tagged with, so that work is resumed by meaning."""
