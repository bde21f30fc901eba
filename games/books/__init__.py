"""The rule books. This folder is the registry: a file is a game, its name the game's name."""
