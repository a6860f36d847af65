"""The partition methods: one algorithm per file."""
