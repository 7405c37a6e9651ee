"""Files of figures: URDF, read and written."""
