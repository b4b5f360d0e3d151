"""Every text of the terminal game, in English and German."""

from __future__ import annotations

from dataclasses import dataclass

from spielwerk.catalogue import german_refusal
from spielwerk.errors import IllegalAction
from spielwerk.render.scene import Lang

TEXTS: dict[Lang, dict[str, str]] = {
    "en": {
        "welcome": "Press Enter wherever the answer in [brackets] suits you.",
        "which-ruleset": "Which ruleset?",
        "which-rules": "Enter for the usual rules ({usual}), or write what is to be different:",
        "who-plays": "Who plays {seat}?",
        "no-such-answer": "'{answer}' is none of the answers: give a number or a name.",
        "agent-human": "you, at this terminal",
        "agent-greedy": "takes the action whose position looks best at once",
        "agent-random": "plays any legal action, each equally likely",
        "you": "you",
        "wins": "{seats} won",
        "and": " and ",
        "resigned": "{seat} resigned",
        "thinking": "{seat} is thinking …",
        "possible": "Possible: {actions}",
        "possible-many": "{count} possible, such as {actions} ('legal' shows all)",
        "only-one": "Enter plays {action}.",
        "help-line": "'?' explains what you can type.",
        "suggest-command": "Did you mean '{command}'?",
        "empty-answer": "Type an action, or '?' for help.",
        "all-legal": "{count} legal actions:",
        "hint": "greedy would play {actions}; value: {value} (from -1 lost to +1 won).",
        "undone": "Taken back.",
        "nothing-to-undo": "You have not moved yet.",
        "over-already": "The game is over already.",
        "no-rule-page": "There is no rule page for {ruleset}.",
        "save-where": "Save where? Type: save FILE",
        "saved": "Saved as game {number} of {path}.",
        "not-saved": "Not saved: {reason}",
        "after-the-end": "Enter starts a new game; 'undo', 'save FILE' and 'quit' work too.",
        "new-game": "A new game.",
        "round": "Round {number} of {total}: {one} {points} {two}",
        "match-won": "{player} won the match, {points}.",
        "match-drawn": "The match is drawn, {points}.",
        "more": "-- Enter for more, q to stop --",
        "goodbye": "Goodbye.",
        "file": "FILE",
        "help-action": "play an action, or a whole turn at once",
        "help-help": "this help, also '?'",
        "help-undo": "take back your last turn",
        "help-hint": "what the greedy agent would do",
        "help-legal": "all legal actions",
        "help-rules": "the rules of this ruleset",
        "help-save": "write the game to a file",
        "help-resign": "give up",
        "help-new": "start again",
        "help-quit": "leave",
        "replay-keys": "→ ← step · Home End · ↑ ↓ other game · q leave",
        "marks": "‹ › last move   [ ] can be captured   names and dots: where you may go or lay",
    },
    "de": {
        "welcome": "Enter genügt, wo die Antwort in [Klammern] passt.",
        "which-ruleset": "Welches Regelwerk?",
        "which-rules": "Enter für die üblichen Regeln ({usual}), sonst schreiben, was anders sein soll:",
        "who-plays": "Wer spielt {seat}?",
        "no-such-answer": "„{answer}“ steht nicht zur Wahl: bitte eine Nummer oder einen Namen eingeben.",
        "agent-human": "du, an diesem Terminal",
        "agent-greedy": "nimmt, was auf den ersten Blick am besten aussieht",
        "agent-random": "spielt irgendeine erlaubte Aktion, jede gleich wahrscheinlich",
        "you": "du",
        "wins": "Gewonnen: {seats}",
        "and": " und ",
        "resigned": "{seat} hat aufgegeben",
        "thinking": "{seat} denkt nach …",
        "possible": "Möglich: {actions}",
        "possible-many": "{count} möglich, etwa {actions} („legal“ zeigt alle)",
        "only-one": "Enter spielt {action}.",
        "help-line": "„?“ erklärt, was du eingeben kannst.",
        "suggest-command": "Meintest du „{command}“?",
        "empty-answer": "Gib eine Aktion ein, oder „?“ für Hilfe.",
        "all-legal": "{count} erlaubte Aktionen:",
        "hint": "greedy würde {actions} spielen; bewertet: {value} (von -1 verloren bis +1 gewonnen).",
        "undone": "Zurückgenommen.",
        "nothing-to-undo": "Du hast noch nicht gezogen.",
        "over-already": "Die Partie ist schon zu Ende.",
        "no-rule-page": "Zu {ruleset} gibt es keine Regelseite.",
        "save-where": "Wohin speichern? Eingeben: save DATEI",
        "saved": "Gespeichert als Partie {number} in {path}.",
        "not-saved": "Nicht gespeichert: {reason}",
        "after-the-end": "Enter beginnt eine neue Partie; „undo“, „save DATEI“ und „quit“ gehen auch.",
        "new-game": "Eine neue Partie.",
        "round": "Runde {number} von {total}: {one} {points} {two}",
        "match-won": "Der Wettkampf ist gewonnen: {player}, {points}.",
        "match-drawn": "Der Wettkampf endet unentschieden, {points}.",
        "more": "-- Enter zeigt mehr, q hört auf --",
        "goodbye": "Auf Wiedersehen.",
        "file": "DATEI",
        "help-action": "eine Aktion spielen, oder einen ganzen Zug auf einmal",
        "help-help": "diese Hilfe, auch „?“",
        "help-undo": "deinen letzten Zug zurücknehmen",
        "help-hint": "was der Agent greedy tun würde",
        "help-legal": "alle erlaubten Aktionen",
        "help-rules": "die Regeln dieses Regelwerks",
        "help-save": "die Partie in eine Datei schreiben",
        "help-resign": "aufgeben",
        "help-new": "von vorn beginnen",
        "help-quit": "aufhören",
        "replay-keys": "→ ← blättern · Pos1 Ende · ↑ ↓ andere Partie · q hört auf",
        "marks": "‹ › letzter Zug   [ ] kann geschlagen werden   Namen und Punkte: wohin du darfst",
    },
}


@dataclass(frozen=True)
class Texts:
    lang: Lang

    def __call__(self, key: str, **values: object) -> str:
        return TEXTS[self.lang][key].format(**values)

    def has(self, key: str) -> bool:
        return key in TEXTS[self.lang]

    def reason(self, game: str, illegal: IllegalAction, text: str, example: str) -> str:
        """Why a ruleset refuses an action, in the core's words where there is no translation."""
        german = german_refusal(game, illegal.code, text, example) if self.lang == "de" else None
        return german or f"{illegal.reason}."
