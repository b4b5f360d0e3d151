"""The built page: files with a hash in their name are kept for ever, everything else is asked for each time."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

NOT_BUILT = (
    "The page is not built yet: run `make page` in a clone (it needs Node), then start the server again. "
    "The games are there under /api already.\n"
)
_FOR_EVER = "public, max-age=31536000, immutable"
_REVALIDATE = "no-cache"
_TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
}
_COMPRESSED = ("text/", "application/javascript", "application/json", *_TYPES.values())

# The workers with the core, and nothing else of the page, may compile WebAssembly; in exchange they may do little else.
_WORKERS = ("assets/thinker-", "assets/painting-")
_WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"


@dataclass(frozen=True)
class _File:
    content: bytes
    compressed: bytes | None
    type: str
    etag: str
    caching: str


class Page:
    """All files of the page, read once."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []
        self._files = {path.relative_to(folder).as_posix(): _read(path, folder) for path in paths}

    def is_file(self, path: str) -> bool:
        """Whether the path names a file; otherwise it is a route of the page."""
        name = path.strip("/")
        return name in self._files or "." in name.rpartition("/")[2]

    def answer(self, request: Request, head: str = "") -> Response:
        """The file asked for, else the page itself, with these elements in its head: its routes are its own affair."""
        name = request.url.path.strip("/")
        file = self._files.get(name) if self.is_file(name) else self._files.get("index.html")
        if file is not None and head:
            file = _with_head(file, head)
        if file is None:
            missing = "index.html" in self._files
            return PlainTextResponse("There is no such file.\n" if missing else NOT_BUILT, 404 if missing else 503)
        headers = {"ETag": file.etag, "Cache-Control": file.caching, "Vary": "Accept-Encoding, Accept-Language"}
        if name.startswith(_WORKERS):
            headers["Content-Security-Policy"] = _WORKER_POLICY
        if request.headers.get("if-none-match") == file.etag:
            return Response(status_code=304, headers=headers)
        if file.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(file.compressed, headers=headers | {"Content-Encoding": "gzip"}, media_type=file.type)
        return Response(file.content, headers=headers, media_type=file.type)


def _with_head(page: _File, head: str) -> _File:
    content = page.content.replace(b"</head>", f"  {head}\n  </head>".encode(), 1)
    return _file(content, page.type, page.caching)


def _read(path: Path, folder: Path) -> _File:
    content = path.read_bytes()
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    hashed = path.relative_to(folder).parts[0] == "assets"
    return _file(content, kind, _FOR_EVER if hashed else _REVALIDATE)


def _file(content: bytes, kind: str, caching: str) -> _File:
    return _File(
        content=content,
        compressed=gzip.compress(content, compresslevel=6, mtime=0) if kind.startswith(_COMPRESSED) else None,
        type=kind,
        etag=f'"{hashlib.sha256(content).hexdigest()[:24]}"',
        caching=caching,
    )
