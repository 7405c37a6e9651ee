"""What is to be seen of a trajectory: pages for the browser, plots, pictures and films."""
