"""Simulations: runs, trajectories, their files."""
