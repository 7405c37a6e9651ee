"""Figures as they are described (bodies, shapes and their mass, meshes), and as they are built."""
