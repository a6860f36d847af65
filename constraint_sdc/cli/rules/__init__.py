"""What can be done with a rule set itself: one file per command."""
