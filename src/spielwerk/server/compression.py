"""Messages of the socket, compressed where that pays.

A first snapshot of a large board is hundreds of kilobytes and shrinks to an eighth; an acknowledgement would only
grow. Nothing is remembered from one message to the next, so that a thousand quiet connections cost no memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.base import Extension
from websockets.extensions.permessage_deflate import PerMessageDeflate, ServerPerMessageDeflateFactory
from websockets.frames import Frame
from websockets.typing import ExtensionParameter

LEAST_BYTES = 1024
_FASTEST = {"level": 1}  # a sixth of the time of the usual level, for messages a tenth larger


class _DeflateLarge(PerMessageDeflate):
    """Leaves small messages as they are, which the extension allows. Messages are sent as one frame each."""

    def encode(self, frame: Frame) -> Frame:
        return super().encode(frame) if len(frame.data) >= LEAST_BYTES else frame


class _DeflateLargeFactory(ServerPerMessageDeflateFactory):
    def process_request_params(
        self, params: Sequence[ExtensionParameter], accepted_extensions: Sequence[Extension]
    ) -> tuple[list[ExtensionParameter], PerMessageDeflate]:
        answer, agreed = super().process_request_params(params, accepted_extensions)
        return answer, _DeflateLarge(
            agreed.remote_no_context_takeover,
            agreed.local_no_context_takeover,
            agreed.remote_max_window_bits,
            agreed.local_max_window_bits,
            agreed.compress_settings,
        )


class SocketProtocol(WebSocketsSansIOProtocol):
    """Uvicorn's own, with this compression offered to clients that ask for one, and its end reported."""

    release: Callable[[], None] | None = None

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.conn.available_extensions = [
            _DeflateLargeFactory(
                server_no_context_takeover=True, client_no_context_takeover=True, compress_settings=_FASTEST
            )
        ]

    def connection_lost(self, exc: Exception | None) -> None:
        if self.release is not None:
            self.release()
        super().connection_lost(exc)
