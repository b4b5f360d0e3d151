"""What DiavoloPP says beside its pictures, in both languages."""

from __future__ import annotations

from spielwerk.render.description import ParameterDescription
from spielwerk.render.scene import Label, same

TITLE = same("DiavoloPP")
RULESETS = {"standard": same("Standard")}
PARAMETERS = {
    "side": ParameterDescription(label=Label("Side", "Seitenlänge"), german_help="Kanten je Seite des Bretts"),
}

REFUSALS = {
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
