"""Boxes on both engines."""

from __future__ import annotations

from tests.support.boxes import box, open_box

__all__ = ["box", "open_box"]
