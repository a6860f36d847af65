"""The search that improves any partition."""
