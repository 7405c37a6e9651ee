"""The public model: a figure with a compiled method per page."""
