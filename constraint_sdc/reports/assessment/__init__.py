"""Reports of an assessment."""
