"""Group anonymity: the distribution of a group of records over the values of a parameter is masked by swaps."""
