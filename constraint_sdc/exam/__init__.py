"""Exams: an object of any kind is examined as our own are, and what it promises must be true."""
