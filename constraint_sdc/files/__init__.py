"""Reading and writing files: microdata XML, CSV, Parquet, statistics packages, recipes, JSON."""
