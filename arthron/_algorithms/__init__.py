"""The algorithms, a page each, named as in the literature."""
