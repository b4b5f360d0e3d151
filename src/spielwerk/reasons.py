"""Why an action is illegal, in German: the core says it in English, with a code that never changes."""

GERMAN_REASONS: dict[str, str] = {
    "over": "Die Partie ist zu Ende.",
    "notation": "„{text}“ ist keine Aktion dieses Regelwerks; möglich ist zum Beispiel {example}.",
    "no-such-action": "Diese Aktion gibt es nicht; möglich ist zum Beispiel {example}.",
    "turn-over": "„{text}“ ist mehr als ein Zug.",
    "chance-due": "Jetzt entscheidet der Würfel.",
    "jump-due": "Jetzt wird gesprungen, zum Beispiel {example}.",
    "place-due": "Jetzt ist der Apfel dran, zum Beispiel {example}.",
    "must-pass": "Kein Sprung ist möglich: Es bleibt nur {example}.",
    "not-stuck": "Passen darf nur ein schwarzes Pferd, das nicht springen kann.",
    "no-knight-jump": "„{text}“: Dorthin führt kein Rösselsprung.",
    "no-capture": "„{text}“: Auf dem Feld steht das andere Pferd, und hier wird es nicht geschlagen.",
    "apple-there": "„{text}“: Auf dem Feld liegt schon ein Apfel.",
    "horse-there": "„{text}“: Auf dem Feld steht ein Pferd.",
    "last-escape": "„{text}“ nähme Weiß den letzten Ausweg.",
    "must-move": "Passen darf nur, wer nicht ziehen kann; möglich ist zum Beispiel {example}.",
    "finished": "Figur {text} ist schon im Ziel.",
    "needs-six": "Figur {text} kommt nur mit einer Sechs aus dem Hof.",
    "exact-finish": "Figur {text} zöge über das Ziel hinaus; hier muss die Zahl passen.",
    "blocked": "Figur {text} wird von einer Sperre aufgehalten.",
    "second-land-due": "Der Zug hat mit einem Land begonnen: Jetzt kommt das zweite, zum Beispiel {example}.",
    "no-pair": "Zwei Länder passen nicht mehr aufs Brett: Möglich ist noch {example}.",
    "no-second-land": "„{text}“: Danach ließe sich kein zweites Land mehr legen.",
    "land-there": "„{text}“: Dort liegt schon ein Land.",
    "field-blocked": "„{text}“: Das Feld ist durch eine Brücke gesperrt.",
    "group-too-large": "„{text}“: Mehr als vier Länder hingen dann zusammen.",
    "touches-island": "„{text}“: Das Land berührte eine eigene Insel.",
    "island-touches": "„{text}“: Die neue Insel berührte andere eigene Länder.",
    "no-land-at-end": "„{text}“: An beiden Enden einer Brücke muss ein eigenes Land liegen.",
    "end-taken": "„{text}“: An einem der Enden steht schon eine Brücke.",
    "bridge-there": "„{text}“: Dort steht schon eine Brücke.",
    "land-beside": "„{text}“: Neben der Brücke läge ein Land.",
    "no-swap": "Tauschen darf nur, wer den zweiten Zug der Partie hat.",
    "can-build": "Passen darf nur, wer keine zwei Länder mehr legen kann.",
}


def german_reason(code: str, text: str, example: str) -> str | None:
    """The sentence for a refusal of `text`; `example` is an action that would be legal. None where there is none."""
    sentence = GERMAN_REASONS.get(code)
    return sentence and sentence.format(text=text[:40], example=example)
