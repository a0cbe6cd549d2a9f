"""Confinement: programs in a box of their own, which sees a folder and little else, and leaves nothing when it ends.

Knows no room, no table and no store. Way in: `plan.py` (what a box is), `boxes.py` (where one comes from), `box.py`
(how it is spoken to). What runs inside (`nursery`, `warden`, `building`, `entering`, `kernel`) imports the standard
library and Jupyter alone. Imports errors only.
"""
