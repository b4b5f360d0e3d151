"""How fair the rules of a game are, and which variants would be fairer."""
