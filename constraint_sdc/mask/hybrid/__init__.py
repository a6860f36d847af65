"""Microhybrid: synthetic values in every cluster, with the cluster's means and covariances."""
