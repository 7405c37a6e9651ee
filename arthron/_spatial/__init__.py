"""Spatial algebra over any scalar: what pages are written with."""
