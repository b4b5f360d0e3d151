"""One module per game: its scene and all else that Python knows of it."""
