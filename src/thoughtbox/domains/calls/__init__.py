"""Calls on other operations: one by its name, many in one transaction.

Way in: operations.py. Imports operations only, and knows no other room: what each says of itself, it declares.
"""
