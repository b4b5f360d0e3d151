"""What the server refuses, in German, found by the English sentence it says; `{}` stands for what differs.

Call sites say one English sentence and need no second one: a test compares them all with this list.
"""

from __future__ import annotations

import re
from functools import lru_cache

from spielwerk import catalogue
from spielwerk.games import games
from spielwerk.render.description import descriptions

_FALLBACKS = {
    "illegal": "Das ist hier nicht erlaubt.",
    "stale": "Die Stellung hatte sich inzwischen geändert.",
    "not_yours": "Das steht dir an diesem Tisch nicht zu.",
    "not_now": "Das geht gerade nicht.",
    "malformed": "Das hat der Server nicht verstanden.",
    "too_large": "Das ist zu groß für diesen Server.",
    "too_many": "Das war zu viel auf einmal; warte einen Augenblick.",
    "unknown": "Das kennt der Server nicht.",
    "closing": "Der Server wird gerade neu gestartet.",
    "internal": "Der Server hat einen Fehler gemacht.",
    "forbidden": "Das ist nicht erlaubt.",
    "not_found": "Das gibt es hier nicht.",
}

GERMAN: dict[str, str] = {
    # Limits
    "too many new tables; wait a little": "Zu viele neue Tische; warte ein wenig.",
    "too many hints; wait a little": "Zu viele Tipps; warte ein wenig.",
    "too much analysis; wait a little": "Das war viel Analyse; warte ein wenig.",
    "too many requests; slow down": "Zu viele Anfragen; mach etwas langsamer.",
    "too many messages; slow down": "Zu viele Nachrichten; mach etwas langsamer.",
    "too many pictures; wait a little": "Zu viele Bilder; warte ein wenig.",
    "too many tournaments; wait a little": "Zu viele Turniere; warte ein wenig.",
    "another tournament is being played; wait for its end": (
        "Gerade läuft ein anderes Turnier; warte, bis es zu Ende ist."
    ),
    "a tournament here has at most {} games, not {}": "Ein Turnier hat hier höchstens {} Partien, nicht {}.",
    "a tournament has different players": "Zu einem Turnier gehören verschiedene Gegner.",
    "the arena's store is full; its operator has to make room": (
        "Der Speicher der Arena ist voll; wer den Server betreibt, muss Platz schaffen."
    ),
    "tournaments are started from this machine and addresses named by --tournaments-for": (
        "Turniere starten dieser Rechner und Adressen, die --tournaments-for nennt."
    ),
    "this server has no store for tournaments": "Dieser Server hat keinen Speicher für Turniere.",
    "too many watch this table already": "An diesem Tisch schauen schon zu viele zu.",
    "too many agents are waiting to think; try again later": (
        "Zu viele Gegner warten darauf, zu rechnen; versuche es später."
    ),
    "too much was stored from your address; wait some hours": (
        "Von deiner Adresse wurde zu viel gespeichert; warte einige Stunden."
    ),
    "too much was stored from your address; wait some hours or delete tables": (
        "Von deiner Adresse wurde zu viel gespeichert; warte einige Stunden oder lösche Tische."
    ),
    "the server's storage is full; its operator has to make room": (
        "Der Speicher des Servers ist voll; wer ihn betreibt, muss Platz schaffen."
    ),
    "this table is full: it holds {} events; go on at a new one": (
        "Dieser Tisch ist voll: Er fasst {} Ereignisse; spiele an einem neuen weiter."
    ),
    "a message has at most {} bytes": "Eine Nachricht hat höchstens {} Byte.",
    "a body here has at most {} bytes": "Eine Anfrage hat hier höchstens {} Byte.",
    "this address is not welcome here": "Diese Adresse ist hier nicht zugelassen.",
    "pages from elsewhere may not write here": "Seiten von anderswo dürfen hier nichts ändern.",
    "these figures are for this machine and addresses named by --metrics-for": (
        "Diese Zahlen sind für diesen Rechner und für Adressen, die --metrics-for nennt."
    ),
    # The server itself
    "the server is about to restart": "Der Server wird gleich neu gestartet.",
    "the server is about to restart; nothing has changed": "Der Server wird gleich neu gestartet; nichts ist geändert.",
    "the server made a mistake; its log says which": "Der Server hat einen Fehler gemacht; siehe sein Protokoll.",
    "the server could not store the table": "Der Server konnte den Tisch nicht speichern.",
    "the server could not store this; nothing has changed": "Das ließ sich nicht speichern; nichts ist geändert.",
    "the server could not delete the table": "Der Server konnte den Tisch nicht löschen.",
    "the database does not answer: {}": "Die Datenbank antwortet nicht: {}",
    "the picture took too long to paint": "Das Bild zu malen hat zu lange gedauert.",
    "the picture could not be painted": "Das Bild ließ sich nicht malen.",
    "the table is being read again; try once more": "Der Tisch wird gerade neu gelesen; versuche es noch einmal.",
    # What there is not
    "there is no lesson for this game": "Für dieses Spiel gibt es keine ersten Schritte.",
    "there is no such picture": "Dieses Bild gibt es nicht.",
    "there is no such puzzle": "Diese Aufgabe gibt es nicht.",
    "there is no such run": "Diesen Trainingslauf gibt es nicht.",
    "there is no such tournament": "Dieses Turnier gibt es nicht.",
    "there is no such game in the arena": "Diese Partie gibt es in der Arena nicht.",
    "there is no such report": "Diesen Bericht gibt es nicht.",
    "there is no such rule page": "Diese Regelseite gibt es nicht.",
    "there is no table of this name": "Diesen Tisch gibt es nicht.",
    "there is no door /api/{}": "Unter /api/{} gibt es nichts.",
    "table {} cannot be read by this release: {}": "Der Tisch {} ist für diese Fassung nicht lesbar.",
    "the game has {} plies, not {}": "Die Partie hat {} Halbzüge, nicht {}.",
    "unknown ruleset '{}'; there are: {}": "Dieses Regelwerk gibt es nicht.",
    "unknown level '{}'; there are: {}": "Dieser Gegner spielt nicht nach diesen Regeln; wähle einen anderen.",
    # Seats and turns
    "it is not your turn": "Du bist nicht am Zug.",
    "you hold no seat at this table": "Du hast keinen Platz an diesem Tisch.",
    "you can only resign a seat you hold": "Aufgeben kannst du nur auf deinem eigenen Platz.",
    "the game is over": "Die Partie ist zu Ende.",
    "the game is over there": "Dort ist die Partie zu Ende.",
    "the game begins when all seats are taken": "Die Partie beginnt, sobald alle Plätze besetzt sind.",
    "the table was given up": "Der Tisch wurde aufgegeben.",
    "a rematch follows a game that is over": "Eine Revanche gibt es, wenn die Partie zu Ende ist.",
    "the rematch is open already": "Die Revanche ist schon eröffnet.",
    "there is no {} for you to answer": "Hier wartet keine Frage auf deine Antwort.",
    "there is nothing of yours to take back": "Du hast nichts, was du zurücknehmen könntest.",
    "no hints while people play each other": "Keine Tipps, solange Menschen gegeneinander spielen.",
    "nobody waits for this advice": "Auf diesen Rat wartet niemand.",
    "nobody is to act there": "Dort ist niemand am Zug.",
    "nothing was played there": "Dort wurde nichts gespielt.",
    "{} found no answer ({})": "{} hat keine Antwort gefunden.",
    "no answer came ({})": "Es kam keine Antwort.",
    "this cannot be edited: {}": "Das lässt sich so nicht bearbeiten.",
    "this invitation is for no free seat at this table": "Diese Einladung gilt hier für keinen freien Platz.",
    "this table is private: a seat is taken by its invitation": (
        "Dieser Tisch ist privat: Einen Platz bekommt, wer eingeladen ist."
    ),
    "this seat is not free": "Dieser Platz ist nicht frei.",
    "no seat is free": "Kein Platz ist frei.",
    "a table is deleted by its owner, with the token that opening it gave": (
        "Einen Tisch löscht, wer ihn eröffnet hat, mit dem Schlüssel von damals."
    ),
    # Clocks and matches
    "the time is up": "Die Zeit ist abgelaufen.",
    "a clock is for people: agents among themselves play without": "Eine Uhr gibt es nur, wo Menschen mitspielen.",
    "a clock per {} has from {} to {} {}, not {}": "So lang oder kurz darf die Bedenkzeit nicht sein.",
    "an increment of 0 to {} seconds belongs to a clock per game, not {}": (
        "Zeit je Zug dazu gibt es nur bei Bedenkzeit für die Partie, höchstens {} Sekunden."
    ),
    "rounds are for two players; {} has {} seats": "Einen Wettkampf spielen zwei; {} hat {} Plätze.",
    # What is asked for
    "the table has moved on to {}; this answered {}": "Der Tisch ist schon bei {}; das galt für {}.",
    "there is no event {} yet; the last one is {}": "Ein Ereignis {} gibt es noch nicht; das letzte ist {}.",
    "the first message says hello": "Die erste Nachricht sagt „hello“.",
    "hello was said already": "„hello“ wurde schon gesagt.",
    "this server speaks protocol {}, not {}": "Dieser Server spricht Protokoll {}, nicht {}; lade die Seite neu.",
    "messages are JSON texts": "Nachrichten sind Texte in JSON.",
    "a seed foretells the dice: it is taken only where no seat is open": (
        "Ein Startwert verrät die Würfel: Er gilt nur, wo kein Platz frei ist."
    ),
    "start: {}": "Anfangsstellung: Diese Stellung gibt es unter diesen Regeln nicht.",
    "{} has {} seats, not {}": "{} hat {} Plätze, nicht {}.",
    "several seats of kind 'human' need \"hotseat\": true; for others use 'open'": (
        "Mehrere eigene Plätze brauchen „hotseat“; für andere lass sie frei."
    ),
    "a level belongs to a seat of kind 'agent', and only there": "Eine Stärke gehört zu einem Gegner, und nur zu ihm.",
    "the first position of that game is not known": "Die Anfangsstellung jener Partie ist nicht bekannt.",
    "before: a moment since 1970, as `created` gives it": "before: ein Zeitpunkt seit 1970, wie ihn „created“ nennt.",
    "this is no text: half of a character stands alone in it": "Das ist kein Text: Ein halbes Zeichen steht darin.",
    # Rule parameters
    "{} must be a whole number from {} to {}, not {}": "{} muss eine ganze Zahl von {} bis {} sein, nicht {}.",
    "{} must be true or false, not {}": "{} ist ja oder nein, nicht {}.",
    "{} must be one of {}, not {}": "{}: Diesen Wert gibt es nicht.",
    "{} must be a square from a1 to {}, not {}": "{} muss ein Feld von a1 bis {} sein, nicht {}.",
    "{} must be a text, not {}": "{} muss ein Text sein, nicht {}.",
    "{} has no parameter '{}'; it has: {}": "{} hat keine Einstellung „{}“.",
    "white_start and black_start must be different squares, not both {}": (
        "Die beiden Pferde müssen auf verschiedenen Feldern beginnen, nicht beide auf {}."
    ),
    "{} {} leaves the first horse no jump; choose another square or size": (
        "{}: Von {} hat das erste Pferd keinen Sprung; wähle ein anderes Feld oder eine andere Größe."
    ),
    "players is {}, but colours names {}": "Es sind {} Spieler, aber {} Farben genannt.",
    "colours must be different ones of green, yellow, blue, red, separated by commas, not {}": (
        "Die Farben müssen verschiedene von green, yellow, blue, red sein, durch Kommas getrennt, nicht {}."
    ),
    "colours must name at least two": "Es müssen mindestens zwei Farben genannt sein.",
    # Records
    "a record is a JSON object": "Eine Aufzeichnung ist ein Objekt in JSON.",
    "a record here has at most {} actions, not {}": "Eine Aufzeichnung hat hier höchstens {} Aktionen, nicht {}.",
    "this is no game record: the field 'spielwerk' is missing": (
        "Das ist keine Aufzeichnung einer Partie: Das Feld „spielwerk“ fehlt."
    ),
    "the record is nested too deeply": "Die Aufzeichnung ist zu tief verschachtelt.",
    "the field '{}' must be {}": "Das Feld „{}“ der Aufzeichnung ist nicht, was es sein müsste.",
    "the field 'seats' must name {} seats or none, not {}": "„seats“ muss {} Plätze nennen oder keine, nicht {}.",
    "{} has several first positions: the record must name its 'start'": (
        "{} hat mehrere Anfangsstellungen: Die Aufzeichnung muss ihre nennen („start“)."
    ),
    "ply {}: '{}' cannot be played: {}": "Halbzug {}: „{}“ ist dort nicht erlaubt.",
    "a variation is an object with one action or more": "Eine Variante braucht mindestens eine Aktion.",
    "variations lie in each other {} deep at most": "Varianten liegen höchstens {}-fach ineinander.",
    "ply {}: {}": "Halbzug {}: Die Aufzeichnung stimmt dort nicht.",
    "record format {} is unknown; this release reads {}": "Das Format {} ist unbekannt; diese Fassung liest {}.",
    "the record follows version {} of the rules of {}; this release plays version {}": (
        "Die Aufzeichnung folgt Fassung {} der Regeln von {}; hier wird nach Fassung {} gespielt."
    ),
    "the record's result is {}, the game's is {}": "Die Aufzeichnung nennt das Ergebnis {}, die Partie endet mit {}.",
}


def in_german(english: str, code: str) -> str:
    """The sentence in German; one that is not listed is told by what kind of refusal it is."""
    for pattern, sentence in _patterns():
        if found := pattern.fullmatch(english):
            return sentence.format(*map(_word, found.groups()))
    return _FALLBACKS[code]


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile("(.*?)".join(map(re.escape, english.split("{}"))), re.DOTALL), german)
        for english, german in GERMAN.items()
    )


def _word(text: str) -> str:
    """Rulesets and parameters are called what the page calls them; all else stays as it was given."""
    return _names().get(text, text)


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    parameters = {
        name: f"„{parameter.label.de}“"
        for game in descriptions().values()
        for name, parameter in game.parameters.items()
    }
    return parameters | {name: catalogue.full_title(name).de for name in games()}
