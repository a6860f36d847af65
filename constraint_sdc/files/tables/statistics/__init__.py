"""Files of SPSS and Stata: typed columns with labels, value labels and missing codes."""
