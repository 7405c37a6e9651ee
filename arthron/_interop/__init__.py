"""Coordinates in the layouts of other libraries."""
