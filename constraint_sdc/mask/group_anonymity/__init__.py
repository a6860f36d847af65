"""Group anonymity: how a group of records spreads over the values of a parameter is masked by swapping these values."""
