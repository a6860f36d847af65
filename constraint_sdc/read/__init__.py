"""Reading files into columns of text: microdata XML, CSV, Parquet and statistics packages."""
