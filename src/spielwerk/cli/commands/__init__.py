"""One module per command; `spielwerk.cli.command` says what it must have."""
