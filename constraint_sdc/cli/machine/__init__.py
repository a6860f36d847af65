"""What a command may ask of the machine: time, memory, processes and disk; and how it ends when it is told to."""
