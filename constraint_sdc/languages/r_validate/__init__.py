"""Rules of the R package validate: files of R expressions, and YAML files with labels and options."""
