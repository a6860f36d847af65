"""The report on a rule set, one file per format."""
