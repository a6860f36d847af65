"""Typed constraints: from expressions to a normal form that the planner can reason about."""
