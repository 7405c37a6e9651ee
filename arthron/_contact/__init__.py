"""Contact with friction: a convex problem in velocities, and Newton's method for it."""
