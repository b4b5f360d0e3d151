"""What can go wrong, in words a player can read."""


class IllegalAction(ValueError):
    """An action the rules forbid here. The position is unchanged."""

    def __init__(self, reason: str, code: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code

    def __reduce__(self) -> tuple[type["IllegalAction"], tuple[str, str]]:
        return type(self), (self.reason, self.code)
