"""The look of DiavoloPP."""

STYLE = {
    ".field": "fill:var(--cell-light)",
    ".field.down": "fill:var(--cell-dark)",
    ".hatch": "fill:none;stroke:var(--muted);stroke-width:1.6",
    ".land.white": "fill:var(--white-body)",
    ".shore.white": "fill:var(--white-body)",
    ".land.red": "fill:var(--red-body)",
    ".shore.red": "fill:var(--red-body)",
    ".coast.white": "fill:var(--white-line)",
    ".bridge.white": "fill:var(--white-line)",
    ".coast.red": "fill:var(--red-line)",
    ".bridge.red": "fill:var(--red-line)",
    ".deck.white": "fill:var(--white-body)",
    ".deck.red": "fill:var(--red-body)",
    ".last-land": "fill:var(--accent)",
    ".legal.land": "fill:var(--muted);stroke:none",
    ".legal.span": "fill:var(--accent);stroke:var(--paper);stroke-width:2",
    ".badge": "fill:var(--paper);stroke:var(--ink);stroke-width:1.2",
}
