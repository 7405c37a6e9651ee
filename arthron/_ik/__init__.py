"""Inverse kinematics: a whole solver as one page."""
