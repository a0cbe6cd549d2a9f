"""Speed as one table: us, the floor and the peers, measured in one run (`make bench`).

Only ratios within a run mean anything: what is compared is measured in turns, on the same
machine in the same minute. Way in: `__main__.py`; `measurements/` has one file per question.
"""
