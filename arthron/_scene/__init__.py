"""Scenes: elements that act on a figure, controllers, and the system that integrators see."""
