"""Ways to go on in time: a page each over a system."""
