"""What a study found, in sentences."""

from collections.abc import Iterator

from spielwerk.arena.report import side_names
from spielwerk.balance.known import known_facts
from spielwerk.balance.study import ARGUMENT, Cell, Study


def findings(study: Study) -> list[str]:
    """The most important ones first."""
    return [*_advantage(study), *_proof(study), *_captures(study), *_proofs(study), *_fairest(study), *_caution(study)]


def _advantage(study: Study) -> Iterator[str]:
    cell, names = study.strongest, side_names(study.game)
    advantage = cell.advantage
    score = f"{names[advantage.side]} scores {cell.scores[advantage.side]} when {cell.level} plays every seat"
    if advantage.even:
        yield f"{score}: {len(cell.samples)} games show no advantage."
    else:
        favoured = names[advantage.side] if advantage.value > 0 else _others(names, advantage.side)
        yield f"{score}: the rules favour {favoured}."


def _others(names: tuple[str, ...], side: int) -> str:
    return names[1 - side] if len(names) == 2 else "the others"


def _proof(study: Study) -> Iterator[str]:
    proof, names = study.proofs.get(study.strongest.variant.label), side_names(study.game)
    if proof is not None and proof.prover != ARGUMENT:  # which speaks for itself
        result = "nobody wins" if proof.side is None else f"{names[proof.side]} wins"
        yield f"Proved by {proof.prover}: with best play {result}."


def _proofs(study: Study) -> Iterator[str]:
    proofs = [study.proofs[cell.variant.label] for cell in study.screened if cell.variant.label in study.proofs]
    if proofs:
        names = side_names(study.game)
        won = [f"{sum(proof.side == side for proof in proofs)} are won by {name}" for side, name in enumerate(names)]
        drawn = sum(proof.side is None for proof in proofs)
        results = ", ".join([*won, *([f"{drawn} are drawn"] if drawn else [])])
        yield f"Proved for {len(proofs)} of {len(study.screened)} variants: {results}."


def _captures(study: Study) -> Iterator[str]:
    names, played = side_names(study.game), sum(len(cell.samples) for cell in study.levels)
    counts = [sum(cell.captures(side) for cell in study.levels) for side in range(len(names))]
    if any(counts):
        counted = ", ".join(f"{count:,} by {name}" for count, name in zip(counts, names, strict=True))
        yield f"Captures that ended one of {played:,} games under these rules: {counted}."
    for fact in known_facts(study.game):
        yield fact.text


def _fairest(study: Study) -> Iterator[str]:
    if not study.finals:
        return
    best, names = study.ranking[0], side_names(study.game)
    if not study.fairer:
        yield (
            f"Of {len(study.screened)} variants none is clearly fairer than the rules as they stand"
            f" when {best.level} plays.{_what_separates(study)}"
        )
        return
    side = best.advantage.side
    name = side_names(best.variant.game)[side]
    yield (
        f"Fairest of {len(study.screened)} variants: {best.variant.label}, where {name} scores"
        f" {best.scores[side]}; as the rules stand {names[study.strongest.advantage.side]} scores"
        f" {study.strongest.scores[study.strongest.advantage.side]}."
    )


def _what_separates(study: Study) -> str:
    """Where nothing is fair, perhaps the horses' colours say who is favoured."""
    names = side_names(study.game)
    one_sided = [cell for cell in (*study.screened, study.strongest) if len(cell.scores) == 2]
    if any(not _states_captures(cell) for cell in one_sided):
        return ""
    agree = sum((cell.scores[0].rate > 0.5) == bool(cell.captures(0)) for cell in one_sided)
    if agree < len(one_sided):
        return ""
    first = sum(bool(cell.captures(0)) for cell in one_sided)
    counts = [f"{name} in {count}" for name, count in zip(names, (first, len(one_sided) - first), strict=True)]
    return f" In all of them, and as they stand, the side that can capture has the advantage: {', '.join(counts)}."


def _states_captures(cell: Cell) -> bool:
    """Whether exactly one side captured in these games."""
    return bool(cell.captures(0)) != bool(cell.captures(1))


def _caution(study: Study) -> Iterator[str]:
    cell = study.strongest
    if cell.distinct < len(cell.samples) / 2:
        yield (
            f"Only {cell.distinct} of the {len(cell.samples)} games of {cell.level} differ;"
            " equal games count once in the intervals."
        )
    if not study.complete:
        yield "The time was over before all games were played; more --seconds or --workers play them."
