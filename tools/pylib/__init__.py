"""What the Python tools share. Standard library only."""
