//! Trajectories, read by their own models.
