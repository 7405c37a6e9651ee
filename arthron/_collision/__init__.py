"""Where two shapes are nearest or touch: gaps, points and normals, traced like all pages."""
