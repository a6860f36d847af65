"""Measure: what masking cost (utility), what an intruder may learn (risk), and what he does learn (attacks)."""
