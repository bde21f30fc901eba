"""What makes this repository's own pages."""
