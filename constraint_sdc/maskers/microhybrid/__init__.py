"""Microhybrid: synthetic values in every cluster, with the means and covariances of the cluster."""
