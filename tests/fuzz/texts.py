"""What a hostile world writes: texts and JSON with everything in them that a border must stop.

`make fuzz` runs every test of this folder for longer: SPIELWERK_FUZZ_EXAMPLES says how many inputs each of them gets.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EFFORT = settings(
    max_examples=int(os.environ.get("SPIELWERK_FUZZ_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# A character that no text from outside may carry on: NUL, escape, line ends, C1, a line separator, direction
# overrides and isolates, zero width, the byte order mark, lone surrogates.
BARRED = "\x00\x1b\n\r\x07\x7f\x85\x9b\u2028\u2029\u202e\u2066\u200b\ufeff\ud800\udfff"

characters = st.one_of(
    st.sampled_from(BARRED),
    st.characters(codec="utf-8"),
    st.characters(min_codepoint=32, max_codepoint=126),
    st.sampled_from("é中😀\u200d\xa0"),
)
texts = st.text(characters, max_size=60) | st.builds(lambda text: 300 * text, st.text(characters, min_size=1))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def is_harmless_line(text: str, most: int) -> bool:
    """Whether a terminal, a log and a page can show this text as one line."""
    text.encode()  # fails with a lone surrogate
    return len(text) <= most and not any(letter in BARRED for letter in text) and len(text.splitlines()) <= 1
