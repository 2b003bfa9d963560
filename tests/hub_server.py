"""A real HTTP server on loopback that speaks the hub's protocol, and misbehaves when told to."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REVISION = "0123456789abcdef0123456789abcdef01234567"


class HubServer(ThreadingHTTPServer):
    """Serves repositories from folders.

    Attributes:
        repositories: Folders by "owner/name".
        token: What private repositories ask for.
        private: Names that need the token.
        errors: By name (or "owner/name/file"): status, and the hub's error code.
        cut_after: By file name, bytes after which the connection breaks, once for each entry.
        ignores_ranges: Whether a range gets the whole file.
        replaced: Bytes sent in place of a file's own.
        hold: When set, bodies stop half-way until it is cleared.
        requests: (path, range or None, authorization or None) of everything asked.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, Path] = {}
        self.token = "hf_secret"
        self.private: set[str] = set()
        self.errors: dict[str, tuple[int, str]] = {}
        self.cut_after: dict[str, list[int]] = {}
        self.ignores_ranges = False
        self.replaced: dict[str, bytes] = {}
        self.hold = threading.Event()
        self.requests: list[tuple[str, str | None, str | None]] = []

    @property
    def endpoint(self) -> str:
        """The address to give as the hub's endpoint."""
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address) -> None:
        """Clients may hang up; that is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HubServer

    def do_GET(self) -> None:
        path, _, _ = self.path.partition("?")
        authorization = self.headers.get("authorization")
        self.server.requests.append((path, self.headers.get("range"), authorization))
        if found := re.fullmatch(r"/api/models/([^/]+/[^/]+)", path):
            self._send_listing(found[1])
        elif found := re.fullmatch(rf"/([^/]+/[^/]+)/resolve/{REVISION}/(.+)", path):
            if self._is_allowed(found[1], found[2]):
                # Large files live elsewhere, as on the real hub.
                self._send(302, b"", {"location": f"/cdn/{found[1]}/{found[2]}"})
        elif found := re.fullmatch(r"/cdn/([^/]+/[^/]+)/(.+)", path):
            self._send_file(found[2], self.server.repositories[found[1]] / found[2])
        else:
            self._refuse(404, "RevisionNotFound")

    def log_message(self, *_args) -> None:
        """Say nothing."""

    def _is_allowed(self, name: str, file: str = "") -> bool:
        for key in (f"{name}/{file}", name):
            if key in self.server.errors:
                self._refuse(*self.server.errors[key])
                return False
        known = name in self.server.repositories
        authorized = self.headers.get("authorization") == f"Bearer {self.server.token}"
        if not known or (name in self.server.private and not authorized):
            self._refuse(401, "RepoNotFound")
            return False
        return True

    def _send_listing(self, name: str) -> None:
        if self._is_allowed(name):
            siblings = [_sibling(path) for path in sorted(self.server.repositories[name].iterdir())]
            listing = {"id": name, "sha": REVISION, "siblings": siblings}
            self._send(200, json.dumps(listing).encode(), {"content-type": "application/json"})

    def _send_file(self, name: str, path: Path) -> None:
        content = self.server.replaced.get(name, path.read_bytes())
        start = int((self.headers.get("range") or "bytes=0-")[6:-1])
        if start and not self.server.ignores_ranges:
            where = {"content-range": f"bytes {start}-{len(content) - 1}/{len(content)}"}
            self._send(206, content[start:], where, name)
        else:
            self._send(200, content, {}, name)

    def _send(self, status: int, body: bytes, headers: dict[str, str], name: str = "") -> None:
        self.send_response(status)
        for key, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        cuts = self.server.cut_after.get(name)
        if cuts:
            self.wfile.write(body[: cuts.pop(0)])
            self.close_connection = True
            return
        half = len(body) // 2
        self.wfile.write(body[:half])
        while name.endswith(".safetensors") and self.server.hold.is_set():
            threading.Event().wait(0.02)
        self.wfile.write(body[half:])

    def _refuse(self, status: int, code: str) -> None:
        self._send(status, b"", {"x-error-code": code} if code else {})


def _sibling(path: Path) -> dict[str, object]:
    content = path.read_bytes()
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    entry: dict[str, object] = {"rfilename": path.name, "size": len(content), "blobId": blob}
    if path.suffix in (".safetensors", ".bin"):
        sha256 = hashlib.sha256(content).hexdigest()
        entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 134}
    return entry


@contextmanager
def running_hub() -> Iterator[HubServer]:
    """A server that answers until the block ends."""
    server = HubServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.hold.clear()
        server.shutdown()
        server.server_close()
        thread.join()
