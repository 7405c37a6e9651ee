"""Maximal coordinates: a pose and a twist for each body, and joints as rows that hold them."""
