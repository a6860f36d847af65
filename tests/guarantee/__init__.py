"""The guarantee under attack: random rule sets on random data, masked, and judged on the written bytes."""
