"""One module per game: a `GameDescription` called GAME, with its scene and all else that Python knows of it."""
