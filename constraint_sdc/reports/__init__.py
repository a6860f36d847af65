"""Reports: every output for people and programs, one file per format."""
