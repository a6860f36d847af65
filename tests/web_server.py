"""A web server in a thread of the tests, which answers as it is told: whole, in part, slowly, or with a redirect."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]


def whole(content: bytes, **headers: str) -> Answer:
    """Answer with a file and its length."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        for name, value in {"Content_Length": str(len(content)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(content)

    return answer


def redirect(place: str) -> Answer:
    """Answer that the file is elsewhere."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", place)
        request.end_headers()

    return answer


def status(code: int) -> Answer:
    """Answer with a code alone."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        request.end_headers()

    return answer


@contextmanager
def web_server(answers: dict[str, Answer]) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """Yield the address of a server on this machine, and the requests that it gets: path and `Authorization`."""
    heard: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append((self.path, self.headers.get("Authorization")))
            answers.get(self.path.partition("?")[0], status(404))(self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
