"""Motion as the answer: the torque energy of splines."""
