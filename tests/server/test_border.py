"""Texts from outside at the doors of the server: refused with 400 and one line, never with 500."""

import json
from typing import Any

import httpx
import pytest

from tests.fuzz.texts import is_harmless_line
from tests.server import client
from tests.server.client import Running
from tests.test_border import BAD_RECORDS, record


def refusal(answer: httpx.Response) -> str:
    assert answer.status_code == 400, answer.text
    message = answer.json()["error"]["message"]["en"]
    assert is_harmless_line(message, 500)
    return str(message)


@pytest.mark.parametrize("fields", BAD_RECORDS.values(), ids=BAD_RECORDS.keys())
def test_an_uploaded_record_with_a_barred_text_is_refused(server: Running, fields: dict[str, Any]) -> None:
    refusal(httpx.post(f"{server.url}/api/records", content=json.dumps(record(**fields))))


def test_lone_surrogates_in_a_body_are_refused(server: Running) -> None:
    seats = [client.human(), client.human()]
    for asked in ({"game": "\ud800"}, {"rules": {"\ud800": 1}}, {"rules": {"white_start": "a8\x00"}}):
        body = {"game": "pferdeaepfel/trail", "seats": seats} | asked
        refusal(httpx.post(f"{server.url}/api/tables", content=json.dumps(body)))


def test_names_in_a_query_are_quoted_safely(server: Running) -> None:
    refusal(httpx.get(f"{server.url}/api/levels", params={"game": "\x1b[31m\u202e\n\x00"}))
    answer = httpx.get(f"{server.url}/api/\x1b]0;title\x07".replace("\x1b", "%1B").replace("\x07", "%07"))
    assert answer.status_code == 404
    assert is_harmless_line(answer.json()["error"]["message"]["en"], 500)
