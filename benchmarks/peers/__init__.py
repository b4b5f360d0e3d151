"""One module per peer, each run in the peers' own virtual environment; see ../README.md."""
