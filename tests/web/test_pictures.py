"""A position and a game are saved as pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.web.person import Person
from tests.web.serving import RunningServer

_BEGINNINGS = {"PNG": b"\x89PNG", "SVG": b"<svg", "GIF": b"GIF89a"}


@pytest.mark.parametrize("form", _BEGINNINGS)
def test_a_picture_is_saved(person: Person, server: RunningServer, form: str, tmp_path: Path) -> None:
    record = {"spielwerk": 1, "game": "pferdeaepfel/trail", "rules_version": 1, "actions": ["b6", "g3", "d5"]}
    table = server.post("/api/records", record)["id"]
    person.visit(f"/t/{table}/2")
    person.page.get_by_role("button", name="Picture").click()
    with person.page.expect_download(timeout=60_000) as download:
        person.page.get_by_role("dialog").get_by_role("button", name=form).click()
    name = download.value.suggested_filename
    assert name == f"pferdeaepfel-trail-{table}" + (".gif" if form == "GIF" else f"-2.{form.lower()}")
    download.value.save_as(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(_BEGINNINGS[form])
