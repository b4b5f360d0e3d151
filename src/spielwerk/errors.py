"""What can go wrong, in words a player can read."""


class IllegalAction(ValueError):
    """An action the rules forbid here. The position is unchanged."""

    def __init__(self, reason: str, code: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code

    def __reduce__(self) -> tuple[type["IllegalAction"], tuple[str, str]]:
        return type(self), (self.reason, self.code)


class EngineError(ValueError):
    """An outside engine that cannot go on with its game; it has been ended, and the next question starts it again.

    `code` is one word for what happened: `crashed`, `silent` (took too long), `flooded`, `malformed`, `illegal`
    (an action the rules forbid) or `refused` (it said so itself).
    """

    def __init__(self, engine: str, code: str, reason: str) -> None:
        super().__init__(f"engine '{engine}' {reason}")
        self.engine = engine
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type["EngineError"], tuple[str, str, str]]:
        return type(self), (self.engine, self.code, self.reason)
