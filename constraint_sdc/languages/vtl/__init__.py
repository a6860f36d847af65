"""VTL, the Validation and Transformation Language: rulesets of data points, and `check`."""
