"""Large files, region by region: cut by medians, divided and searched in pieces, improved across the borders."""
