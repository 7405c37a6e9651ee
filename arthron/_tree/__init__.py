"""Joints, and the tree of bodies that pages see."""
