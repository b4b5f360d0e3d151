"""A game in the terminal: the person, the table, the words and the picture."""
