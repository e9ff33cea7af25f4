"""Code shared by the Python tools. It uses only the standard library."""
