"""What assess, attack and sweep share."""
