"""Reports of a check and of the typed rule list, one file per format."""
