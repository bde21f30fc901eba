"""Where players meet: a person at a terminal, a program behind a pipe."""
