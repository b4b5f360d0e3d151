"""What the kernels are tried with: every ruleset, sizes at the ends of what a kernel serves, and all switches."""

from typing import Any

RULES: list[tuple[str, dict[str, Any]]] = [
    *[(f"pferdeaepfel/{name}", {}) for name in ("free", "free-place-first", "trail", "classic", "classic-24")],
    *[(f"pferdeaepfel/{name}", {"size": 5}) for name in ("free", "trail", "classic", "original", "carry")],
    ("pferdeaepfel/original", {}),
    ("pferdeaepfel/classic", {"size": 4}),
    ("pferdeaepfel/carry", {"starter": "black"}),
    ("pferdeaepfel/carry", {"brown": 6, "golden": 3}),
    ("pferdeaepfel/classic", {"white_start": "d5", "black_start": "e4", "size": 7}),
    ("ludo/ffa", {}),
    ("ludo/ffa", {"players": 2, "exact_finish": True, "again_on_six": False}),
    ("ludo/ffa", {"colours": "green,blue,red", "ranking": True, "max_plies": 400}),
    ("ludo/teams", {"again_on_capture": False}),
    *[("diavolo/standard", {"side": side}) for side in (3, 4, 5, 6, 7, 8, 9, 16, 17, 30)],
]
