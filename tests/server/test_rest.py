"""The doors by HTTP."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk import rule_pages
from spielwerk.agents.evaluation import shipped_evaluations
from spielwerk.outcome import How, Outcome
from spielwerk.records import Recorder
from spielwerk.server.levels import usual_levels
from spielwerk.server.page import NOT_BUILT
from tests.server.client import Running, a_free_seat, agent, human, running, settings


def refused(server: Running, path: str, body: Any) -> tuple[int, str]:
    answer = server.http.post(path, json=body)
    return answer.status_code, answer.json()["error"]["code"]


def played(game: str = "pferdeaepfel/classic", moves: int = 8) -> sw.Record:
    recorder = Recorder(sw.make(game), seed=1, seats=["Ada", "Bob"])
    for _ in range(moves):
        recorder.play(recorder.state.legal_actions[0])
    return recorder.record


def test_the_catalogue_tells_every_ruleset_in_both_languages(server: Running) -> None:
    games = server.get("/api/games")
    assert sorted(game["name"] for game in games) == sw.games()
    for game in games:
        assert game["title"] and game["summary"]
        if rule_pages.markdown(game["name"], "de"):
            assert game["summary"]["de"] != game["summary"]["en"]
        assert len(game["seats"]) == sw.make(game["name"]).num_players
        assert [entry["name"] for entry in game["parameters"]] == [
            parameter.name for parameter in sw.make(game["name"]).parameters
        ]
    assert server.get("/api/info")["protocol"] == 1


@pytest.mark.parametrize("name", sw.games())
def test_every_ruleset_has_levels_and_a_start_scene(server: Running, name: str) -> None:
    levels = server.get(f"/api/levels?game={name}")
    assert levels[0]["id"] == "random" and sum(level["default"] for level in levels) == 1
    start = server.get(f"/api/games/{name}/scene")
    assert start["scene"]["hits"] == [] and len(start["seats"]) == sw.make(name).num_players


@pytest.mark.parametrize("name", [name for name in sw.games() if rule_pages.markdown(name, "en")])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_rule_pages_are_shown(server: Running, lang: str, name: str) -> None:
    page = server.get(f"/api/rules/{lang}/{name}")
    assert page["title"] and page["html"].startswith("<h1>") and "<script" not in page["html"]


def test_rule_parameters_are_named_in_both_languages(server: Running) -> None:
    carry = next(game for game in server.get("/api/games") if game["name"] == "pferdeaepfel/carry")
    starter = next(entry for entry in carry["parameters"] if entry["name"] == "starter")
    assert starter["label"] == {"en": "First move", "de": "Erster Zug"}
    assert starter["help"] == {"en": "who moves first", "de": "wer den ersten Zug hat"}
    assert starter["choice_labels"][1] == {"en": "White", "de": "Weiß"}


def test_a_start_scene_follows_its_parameters(server: Running) -> None:
    assert "5×5" in str(server.get("/api/games/pferdeaepfel/trail/scene?size=5")["scene"]["title"])
    answer = server.http.get("/api/games/pferdeaepfel/trail/scene?size=99")
    assert answer.status_code == 400 and "from 3 to 8" in answer.json()["error"]["message"]["en"]


def test_rule_pages_are_safe_and_their_links_and_pictures_stay_here(server: Running) -> None:
    from spielwerk.server.rule_html import _renderer

    html = _renderer().render(
        "# T\n<script>x</script> [a](javascript:alert(1)) [b](trail.md#x) ![p](../../img/x.svg)\n\n|a|\n|:-:|\n|1|",
        {"game": "pferdeaepfel"},
    )
    assert "<script" not in html and "javascript:" not in html.replace("[a](javascript", "") and "style=" not in html
    assert '"/rules/pferdeaepfel/trail#x"' in html and '"/api/rules/img/x.svg"' in html
    picture = server.http.get("/api/rules/img/pferdeaepfel-trail.svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    for path in (
        "/api/rules/img/..%2f..%2fpyproject.toml",
        "/api/rules/en/..%2f/x",
        "/api/rules/fr/pferdeaepfel/trail",
    ):
        assert server.http.get(path).status_code == 404


def test_bad_openings_are_refused_with_the_reason(server: Running) -> None:
    ok = [human(), agent()]
    for body, part in (
        ({"game": "chess", "seats": ok}, "chess"),
        ({"game": "pferdeaepfel/trail", "seats": [human()]}, "2 seats"),
        ({"game": "pferdeaepfel/trail", "seats": [human(), human()]}, "hotseat"),
        ({"game": "pferdeaepfel/trail", "seats": ok, "rules": {"size": 99}}, "size"),
        ({"game": "pferdeaepfel/trail", "seats": ok, "rules": {"width": 5}}, "width"),
        ({"game": "pferdeaepfel/trail", "seats": ok, "start": "nonsense"}, "start"),
        ({"game": "pferdeaepfel/trail", "seats": [human(), a_free_seat()], "seed": 3}, "seed"),
        ({"seats": ok}, "game"),
    ):
        answer = server.http.post("/api/tables", json=body)
        assert answer.status_code == 400 and part in answer.json()["error"]["message"]["en"], answer.text


def test_a_position_can_be_set_up(server: Running) -> None:
    start = "8/8/8/3W4/8/8/8/7B w"
    opened = server.open("pferdeaepfel/trail", human(), agent(), start=start)
    assert server.get(f"/api/tables/{opened['id']}")["start"] == start


def test_a_private_seat_needs_its_invitation_and_a_public_one_does_not(server: Running) -> None:
    private = server.open("pferdeaepfel/trail", human(), a_free_seat())
    seats = f"/api/tables/{private['id']}/seats"
    assert refused(server, seats, {}) == (403, "forbidden")
    assert refused(server, seats, {"invite": "x" * 43}) == (403, "forbidden")
    assert refused(server, seats, {"invite": private["tokens"]["0"]}) == (403, "forbidden")
    assert server.http.post(seats, json={"invite": private["invites"]["1"]}).status_code == 201
    assert refused(server, seats, {"invite": private["invites"]["1"]})[0] == 403, "it is used up"
    public = server.open("pferdeaepfel/trail", human(), a_free_seat(), public=True)
    seats = f"/api/tables/{public['id']}/seats"
    assert refused(server, seats, {"seat": 0}) == (409, "not_now")
    assert server.http.post(seats, json={"seat": 1}).json()["seat"] == 1
    assert refused(server, seats, {}) == (409, "not_now")


def test_tokens_are_stored_only_as_hashes_and_told_only_once(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), a_free_seat())
    secrets = [*opened["tokens"].values(), *opened["invites"].values()]
    public = json.dumps(server.get(f"/api/tables/{opened['id']}"))
    with server.app.store.engine.connect() as connection:
        stored = str(connection.exec_driver_sql("select * from seats").all())
    assert not any(secret in public or secret in stored for secret in secrets)


def test_the_lobby_lists_public_tables_newest_first(server: Running) -> None:
    ids = [server.open("pferdeaepfel/free", human(), a_free_seat(), public=True)["id"] for _ in range(3)]
    server.open("pferdeaepfel/free", human(), a_free_seat())
    first = server.get("/api/tables?state=open&game=pferdeaepfel/free&limit=2")
    assert [item["id"] for item in first] == [ids[2], ids[1]]
    rest = server.get(f"/api/tables?state=open&game=pferdeaepfel/free&before={first[-1]['created']}")
    assert [item["id"] for item in rest] == [ids[0]]
    assert server.get("/api/tables?state=over&game=pferdeaepfel/free") == []
    assert server.http.get("/api/tables?limit=1000").status_code == 400


def test_a_record_is_uploaded_looked_at_and_played_on(server: Running) -> None:
    record = played()
    table = server.http.post("/api/records", json=record.to_json()).json()["id"]
    seen = server.get(f"/api/tables/{table}")
    assert seen["status"] == "over" and seen["can"] == [] and seen["result"] is None
    assert [seat["name"] for seat in seen["seats"]] == ["Ada", "Bob"]
    assert server.get(f"/api/tables/{table}/record")["actions"] == record.actions
    ply = server.http.get(f"/api/tables/{table}/plies/3")
    assert ply.json()["action"] == record.actions[2] and ply.json()["scene"]["hits"] == []
    assert "immutable" in ply.headers["cache-control"]
    assert server.http.get(f"/api/tables/{table}/plies/9").status_code == 404
    again = server.get(f"/api/tables/{table}/plies/2?static={ply.json()['scene']['static']['key']}")
    assert isinstance(again["scene"]["static"], str)
    body = {"ply": 4, "seats": [human(), agent()]}
    opened = server.http.post(f"/api/tables/{table}/continue", json=body).json()
    snapshot = server.get(f"/api/tables/{opened['id']}")
    assert snapshot["origin"] == {"table": table, "ply": 4} and snapshot["ply"] == 4
    assert refused(server, f"/api/tables/{table}/continue", {"ply": 99, "seats": [human(), agent()]})[0] == 400


@pytest.mark.parametrize(
    "change",
    [
        {"game": "chess"},
        {"actions": ["zz"]},
        {"actions": "b6"},
        {"spielwerk": 99},
        {"actions": ["b6"] * 30_000},
        {"result": {"winner": [7], "returns": [1], "points": [], "reason": "resigned", "truncated": False}},
        {"result": {"reason": "resigned", "note": "x" * 9999}},
        {"result": {"winner": [0, 1], "returns": [1, 1], "points": [0, 0], "reason": "resigned", "truncated": False}},
        {"result": {"winner": [1], "returns": [1, -1], "points": [0, 0], "reason": "forfeit", "truncated": False}},
        {"result": {"winner": [1], "returns": [-1, 1], "points": [0, 0], "reason": "agreed", "truncated": False}},
        {"seats": ["Ada", "Bob", "Cleo"]},
        {"rules": {"size": "x" * 1000}},
    ],
)
def test_a_bad_record_is_refused(server: Running, change: dict[str, Any]) -> None:
    assert refused(server, "/api/records", played().to_json() | change) == (400, "malformed")


@pytest.mark.parametrize(
    ("how", "text"),
    [
        (How.RESIGNED, {"en": "Black wins by resignation", "de": "Schwarz gewinnt durch Aufgabe"}),
        (How.FORFEITED, {"en": "Black wins by forfeit", "de": "Schwarz gewinnt kampflos"}),
        (How.TIMED_OUT, {"en": "Black wins on time", "de": "Schwarz gewinnt durch Zeitüberschreitung"}),
        (How.AGREED, {"en": "Draw by agreement", "de": "Unentschieden durch Übereinkunft"}),
    ],
)
def test_how_a_game_ended_at_the_table_is_said(server: Running, how: How, text: dict[str, str]) -> None:
    game = sw.make("pferdeaepfel/classic")
    outcome = Outcome.nobody_won(game, how) if how is How.AGREED else Outcome.lost_by(game, 0, how)
    record = played().to_json() | {"result": outcome.to_json()}
    table = server.http.post("/api/records", json=record).json()["id"]
    assert server.get(f"/api/tables/{table}")["result"] == outcome.to_json() | {"text": text}


def test_what_is_no_record_is_refused(server: Running) -> None:
    for content in (b"", b"[", b"[]", b"null", b"[" * 100_000, b"\xff"):
        assert server.http.post("/api/records", content=content).status_code == 400


def test_a_hint_names_an_action_and_evaluates(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), agent())
    hint = server.http.post(f"/api/tables/{opened['id']}/hint", json={"level": "greedy"}).json()
    assert hint["action"] in ("b6", "c7") and len(hint["evaluation"]) == 2 and -1 <= hint["value"] <= 1
    assert hint["text"]["de"].startswith("nach")


def test_no_hints_between_people(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), a_free_seat(), public=True)
    server.http.post(f"/api/tables/{opened['id']}/seats", json={})
    assert refused(server, f"/api/tables/{opened['id']}/hint", {"level": "greedy"}) == (409, "not_now")


def test_every_answer_carries_the_security_headers(server: Running) -> None:
    for path in ("/api/info", "/api/nothing", "/", "/t/abc/3"):
        headers = server.http.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff" and "server" not in headers


def test_without_a_built_page_one_line_says_how_to_build_it(tmp_path: Path) -> None:
    with running(settings(tmp_path, page_folder=tmp_path / "nowhere", agent_processes=1)) as server:
        answer = server.http.get("/t/abc")
        assert answer.status_code == 503 and answer.text == NOT_BUILT


def test_the_built_page_is_served_with_its_caching(tmp_path: Path) -> None:
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>x</title>" + " " * 999)
    (folder / "assets/app-1a2b.js").write_text("console.log(1)")
    with running(settings(tmp_path, page_folder=folder, agent_processes=1)) as server:
        page = server.http.get("/t/abc/12")
        assert page.text.startswith("<!doctype") and page.headers["cache-control"] == "no-cache"
        assert page.headers["content-encoding"] == "gzip"
        same = server.http.get("/", headers={"If-None-Match": page.headers["etag"]})
        assert same.status_code == 304
        script = server.http.get("/assets/app-1a2b.js")
        assert "immutable" in script.headers["cache-control"]
        assert script.headers["content-type"].startswith("text/javascript")
        for path in ("/assets/gone.js", "/../settings.py", "/%2e%2e/settings.py"):
            assert server.http.get(path).status_code == 404


def test_only_the_workers_with_the_core_may_compile_webassembly(tmp_path: Path) -> None:
    assets = tmp_path / "page/assets"
    assets.mkdir(parents=True)
    (tmp_path / "page/index.html").write_text("<!doctype html><title>x</title>")
    for name in ("app-1a2b.js", "thinker-1a2b.js", "painting-1a2b.js", "spielwerk-1a2b.wasm"):
        (assets / name).write_text("x" * 2000)
    with running(settings(tmp_path, page_folder=tmp_path / "page", agent_processes=1)) as server:
        policies = {
            path: server.http.get(path).headers["content-security-policy"]
            for path in (
                "/",
                "/analysis",
                "/assets/app-1a2b.js",
                "/assets/thinker-1a2b.js",
                "/assets/painting-1a2b.js",
                "/assets/spielwerk-1a2b.wasm",
            )
        }
        workers = ["/assets/thinker-1a2b.js", "/assets/painting-1a2b.js"]
        assert [path for path, policy in policies.items() if "unsafe" in policy] == workers
        allowed = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
        assert {policies[path] for path in workers} == {allowed}
        file = server.http.get("/assets/spielwerk-1a2b.wasm").headers
        assert (file["content-type"], file["content-encoding"]) == ("application/wasm", "gzip")


def test_levels_say_what_a_page_can_do_by_itself(server: Running) -> None:
    found = {level["id"]: level["search"] for level in server.http.get("/api/levels?game=pferdeaepfel/trail").json()}
    assert found["greedy"] == {"kind": "greedy", "settings": {}}
    assert found["expert"] == {"kind": "alphabeta", "settings": {"ms": 1000, "memory": 16}}
    assert found["perfect"] == {"kind": "solver", "settings": {"ms": 1000}}
    for more_than_a_search in ("random", "beginner", "network"):
        assert found[more_than_a_search] is None
    ludo = {level["id"]: level["search"] for level in server.http.get("/api/levels?game=ludo/ffa").json()}
    assert ludo["club"] == {"kind": "expectimax", "settings": {"depth": 2}}


def test_the_description_of_the_protocol_is_current() -> None:
    from scripts.write_protocol_schema import files

    for path, content in files().items():
        assert path.read_text(encoding="utf-8") == content, "run `make generated`"


def test_the_page_answers_to_head_as_to_get(server: Running) -> None:
    for path in ("/", "/t/anything"):
        answer = server.http.head(path)
        assert (answer.status_code, answer.content) == (server.http.get(path).status_code, b"")


def test_the_master_thinks_with_a_shipped_evaluation_network_under_the_rules_it_knows() -> None:
    master = next(level for level in usual_levels() if level.id == "master")
    for name in shipped_evaluations():
        choice = master.choice(sw.make(name))
        assert choice is not None and choice.spec == "alphabeta:ms=2000,model=shipped"
    for name, rules, known in (
        ("diavolo/standard", {"side": 5}, True),
        ("diavolo/standard", {"side": 12}, True),
        ("diavolo/standard", {"side": 13}, True),
        ("diavolo/standard", {"side": 20}, True),
        ("diavolo/standard", {"side": 21}, False),
        ("pferdeaepfel/classic", {"size": 6}, False),
    ):
        other = master.choice(sw.make(name, **rules))
        assert other is not None and other.spec == "alphabeta:ms=2000" + (",model=shipped" if known else "")


@pytest.mark.parametrize("name", ["pferdeaepfel/free", "pferdeaepfel/free-place-first"])
def test_the_master_searches_with_the_trained_network_where_that_was_found_stronger(name: str) -> None:
    master = next(level for level in usual_levels() if level.id == "master")
    specs = [master.choice(game) for game in (sw.make(name), sw.make(name, size=6))]
    assert [choice and choice.spec for choice in specs] == ["puct:ms=2000", "alphabeta:ms=2000"]


def test_levels_depend_on_game_and_rules(server: Running) -> None:
    usual = {level["id"] for level in server.get("/api/levels?game=ludo/ffa")}
    other = {level["id"] for level in server.get("/api/levels?game=ludo/ffa&players=2")}
    assert usual - other == {"network"}
    seats = [{"kind": "agent", "level": "network"}, {"kind": "human"}]
    refused = server.http.post("/api/tables", json={"game": "ludo/ffa", "rules": {"players": 2}, "seats": seats})
    assert refused.status_code == 400 and "unknown level 'network'; there are: random, beginner" in refused.text
    answer = server.http.get("/api/levels?game=diavolo/standard&side=2")
    assert answer.status_code == 400 and "side" in answer.text


@pytest.mark.parametrize("side", [3, 12, 30])
def test_a_network_of_any_size_plays_every_board_and_claims_nothing_there(server: Running, side: int) -> None:
    usual, other = (
        next(level for level in server.get(f"/api/levels?game=diavolo/standard{rule}") if level["id"] == "network")
        for rule in ("", f"&side={side}")
    )
    assert usual["rating"] is not None and "% of the points" in usual["summary"]["en"]
    assert other["rating"] is None
    assert other["summary"] == {
        "en": "trained (Side 5 to 12); how strong it is here was not measured",
        "de": "trainiert (Seitenlänge 5 bis 12); wie stark es hier ist, wurde nicht gemessen",
    }
    table = server.open("diavolo/standard", human(), agent("network"), rules={"side": side})
    hint = server.http.post(f"/api/tables/{table['id']}/hint", json={"level": "network"})
    assert hint.json()["level"] == "network"


def test_tables_are_listed_by_their_names_public_or_not(server: Running) -> None:
    first = server.open("pferdeaepfel/trail", human(), agent("random"))
    second = server.open("ludo/ffa", *[agent("random")] * 4, public=True)
    server.open("pferdeaepfel/trail", human(), agent("random"))
    items = server.get(f"/api/tables/named?id={first['id']}&id={second['id']}&id=nothing")
    assert [item["id"] for item in items] == [second["id"], first["id"]]
    assert server.http.get("/api/tables/named").status_code == 400


def test_an_earlier_position_is_shown_with_what_could_be_played_there(server: Running) -> None:
    with server.hotseat() as player:
        player.play("b6")
        ply = f"/api/tables/{player.table}/plies/0"
        assert server.get(ply)["scene"]["hits"] == []
        assert {hit["action"] for hit in server.get(f"{ply}?hits=true")["scene"]["hits"]} == {"b6", "c7"}


def test_every_game_with_rule_pages_has_a_lesson_and_every_game_a_demonstration(server: Running) -> None:
    """Positions and answers are legal, or making the lesson would have failed."""
    for family in {name.partition("/")[0] for name in sw.games() if rule_pages.markdown(name, "en")}:
        steps = server.get(f"/api/lessons/{family}")["steps"]
        assert 4 <= len(steps) <= 5
        for step in steps:
            assert step["say"]["de"] and step["done"]["de"] and step["after"]
            assert set(step["after"]) <= {hit["action"] for hit in step["scene"]["hits"]}
    assert server.http.get("/api/lessons/chess").status_code == 404
    for name in sw.games():
        demo = server.get(f"/api/games/{name}/demo")
        assert len(demo["steps"]) >= (10 if rule_pages.markdown(name, "en") else 1) and demo["scene"]["hits"] == []


def test_pictures_of_rule_pages_have_their_sizes(server: Running) -> None:
    for lang in ("en", "de"):
        html = server.get(f"/api/rules/{lang}/ludo/ffa")["html"]
        pictures = re.findall(r"<img[^>]*>", html)
        assert pictures
        assert all(re.search(r'width="\d+" height="\d+"', picture) for picture in pictures)
