"""Measures: what masking costs (utility), what an intruder may learn (risk), and attacks that are carried out."""
