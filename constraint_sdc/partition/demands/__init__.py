"""What is demanded of every group besides its size, and how groups that fail are merged until they hold."""
