"""The stages in order, one file per verb."""
