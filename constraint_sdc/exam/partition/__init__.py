"""The exam that every partition method sits: the same questions on hard clouds."""
