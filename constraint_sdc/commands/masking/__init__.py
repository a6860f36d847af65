"""What plan, mask and explain share."""
