"""Identification of inertias and friction from measured motion."""
