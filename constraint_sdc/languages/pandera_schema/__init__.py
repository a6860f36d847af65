"""pandera: the schema of a data frame as `to_yaml` and `to_json` write it."""
