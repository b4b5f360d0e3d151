"""Positions and games as pictures. Painting costs time: it is rationed, bounded and remembered."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple

from spielwerk.games import State
from spielwerk.render import svg_of
from spielwerk.render.raster import png
from spielwerk.render.scene import Lang
from spielwerk.render.theme import Theme, colour
from spielwerk.server.limits import Budgets
from spielwerk.server.log import Log
from spielwerk.server.protocol import Refused

Form = Literal["svg", "png"]
MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png", "gif": "image/gif"}
SMALLEST, USUAL_SIZE, LARGEST = 64, 960, 1600
_BYTES_KEPT = 16_000_000
_GIF_SECONDS = 120
_GIFS_WAITING = 4
# What a moving picture counts beside one that stands still.
_GIF_COST = 10


class Wish(NamedTuple):
    """How a picture shall look."""

    theme: Theme = "light"
    lang: Lang = "en"
    size: int = USUAL_SIZE


class Pictures:
    """Paints one picture after the other."""

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets
        self._kept: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._one_by_one = ThreadPoolExecutor(1, "pictures")
        self._gif_turn = asyncio.Lock()
        self._gifs_waiting = 0

    def close(self) -> None:
        """What was not begun is not painted any more."""
        self._one_by_one.shutdown(wait=False, cancel_futures=True)

    async def position(self, log: Log, ply: int, state: State, form: Form, wish: Wish, client: str) -> bytes:
        """The position after so many actions."""
        key = (log.setup.id, state.to_text(), *log.texts[ply - 1 : ply], form, wish)

        def paint() -> bytes:
            svg = svg_of(state, actions=log.texts[:ply], legal=False, theme=wish.theme, size=wish.size, lang=wish.lang)
            return svg.encode() if form == "svg" else png(svg, colour("paper", wish.theme))

        async def in_thread() -> bytes:
            self._budgets.check_picture(client)
            return await asyncio.get_running_loop().run_in_executor(self._one_by_one, paint)

        return await self._remembered(key, in_thread)

    async def game(self, log: Log, wish: Wish, client: str) -> bytes:
        """The game so far, as a GIF."""
        job = {"record": log.record().to_json(), "theme": wish.theme, "lang": wish.lang}

        async def in_process() -> bytes:
            if self._gifs_waiting >= _GIFS_WAITING:
                raise Refused("too_many", "too many pictures; wait a little")
            self._budgets.check_picture(client, _GIF_COST)
            self._gifs_waiting += 1
            try:
                async with self._gif_turn:
                    return await _painted(json.dumps(job).encode())
            finally:
                self._gifs_waiting -= 1

        return await self._remembered((log.setup.id, log.seq, "gif", wish), in_process)

    async def _remembered(self, key: tuple[Any, ...], paint: Callable[[], Awaitable[bytes]]) -> bytes:
        """Kept while there is room, those not asked for longest go first."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        painted = self._kept[key] = await paint()
        while sum(map(len, self._kept.values())) > _BYTES_KEPT:
            self._kept.popitem(last=False)
        return painted


async def _painted(job: bytes) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "spielwerk.server.painter", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(_GIF_SECONDS):
            picture, _ = await process.communicate(job)
    except TimeoutError:
        raise Refused("internal", "the picture took too long to paint") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise Refused("internal", "the picture could not be painted")
    return picture
