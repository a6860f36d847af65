"""Rule inference: the intervals that published rules imply for masked values."""
