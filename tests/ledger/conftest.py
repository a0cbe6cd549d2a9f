"""Boxes on both engines."""

from __future__ import annotations

from tests.support.boxes import box
from tests.support.boxes import open_box_on_both as open_box

__all__ = ["box", "open_box"]
