"""The contour: which steps a being takes, in what order and under which policy, as data."""
