"""Ladders: tasks with headroom, entries to them, and their exact judge."""
