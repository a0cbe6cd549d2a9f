"""The reasoning engine: what is wrong or missing in a slice of cards, and what to do next.

Pure and read-only: it sees the cards, links and trace entries that a view returns, never a store or a clock, so that
the same slice always gives the same answer. Way in: `engine.considered`, and `capsule.capsule` for its short form.
Each file of `rules` is one thing that a careful reader would notice.
"""
