"""Frozen values about records: tables, columns, pairs of files, points, groups, grids."""
