"""One module per version of the database."""
