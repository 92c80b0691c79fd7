"""The server as it is started, and clients that are slow, large or gone: nobody else has to wait for them."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from django.db import connection

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.workflow import Role
from tests import processes
from tests.conftest import signed_in
from tests.jobs.conftest import database_address
from tests.processes import Process
from tests.unit.toolbox_cases import one_color
from webapp.accounts.models import User
from webapp.server.site import STREAMS

__all__ = ["database_address"]
pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = "b" * 32
THREADS = 2


class Served:
    """The server, and what is asked of it."""

    def __init__(self, port: int, process: Process) -> None:
        self.port, self.process = port, process

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def ask(
        self, path: str, method: str = "GET", body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, float]:
        """The status of an answer that was read whole, and after how many seconds."""
        begun = time.monotonic()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as client:
            client.request(method, path, body, headers or {})
            answer = client.getresponse()
            answer.read()
            return answer.status, time.monotonic() - begun

    def until(self, what: str, so: Callable[[], bool], seconds: float = 20) -> bool:
        """Ask again until it is so."""
        end = time.monotonic() + seconds
        while not so():
            assert time.monotonic() < end, what
            time.sleep(0.02)
        return True

    def most_memory(self) -> float:
        """MB that the process has held at once."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1000

    def written(self) -> int:
        """Bytes that the process has sent to files and sockets, at least: the kernel counts calls, not blocks, so that
        a file that is removed before it reaches the disk counts too."""
        return int(Path(f"/proc/{self.process.pid}/io").read_text().split("wchar:")[1].split()[0])


@contextmanager
def served(address: str, folder: Path, host: str = "127.0.0.1") -> Iterator[Served]:
    environ = {
        "DATABASE_URL": address, "SIGHTLINE_HOME": str(folder), "DJANGO_SETTINGS_MODULE": "tests.settings",
        "CELERY_BROKER_URL": "memory://", "SIGHTLINE_WEB_THREADS": str(THREADS), "SIGHTLINE_WORKER_THREADS": "1",
    }  # fmt: skip
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = processes.parent(environ).start("-m", "tests.common.served", str(port), host)
    found = Served(port, process)
    try:
        end = time.monotonic() + 60
        while True:
            assert process.poll() is None, process.output
            assert time.monotonic() < end, process.output
            try:
                assert found.ask("/live")[0] == 200
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        yield found
    finally:
        process.kill()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, so that one process can fork their servers."""
    return tmp_path_factory.mktemp("served")


@pytest.fixture
def server(database_address: str, folder: Path) -> Iterator[Served]:
    with served(database_address, folder) as found:
        yield found


@contextmanager
def proxied(server: Served, folder: Path) -> Iterator[Served]:
    """The same server behind the proxy of the containers."""
    program = shutil.which("nginx")
    if program is None:
        pytest.skip("no nginx on PATH")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    conf = (processes.ROOT / "docker" / "proxy.conf").read_text()
    for found, here in (
        ("listen 8080", f"listen 127.0.0.1:{port}"), ("http://web:8000", f"http://127.0.0.1:{server.port}"),
        ("resolver 127.0.0.11 valid=10s;", ""), ("${SIGHTLINE_HTTPS}", "no"),
        ("/var/cache/nginx/public", f"{folder}/public"),
    ):  # fmt: skip
        assert found in conf
        conf = conf.replace(found, here)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr; events {{ }}\n"
        f"http {{ access_log off; {places}\n{conf}\n}}\n"
    )
    with subprocess.Popen([program, "-e", "stderr", "-c", str(file)], stderr=subprocess.PIPE) as process:
        try:
            found = Served(port, server.process)
            end = time.monotonic() + 20
            while True:
                assert process.poll() is None, process.stderr and process.stderr.read()
                assert time.monotonic() < end
                with suppress(ConnectionRefusedError):
                    assert found.ask("/live")[0] == 200
                    break
                time.sleep(0.02)
            yield found
        finally:
            process.kill()


def cookies(user: User) -> dict[str, str]:
    """Those of a browser in which this person is signed in."""
    session = signed_in(user).cookies["sessionid"].value
    return {"Cookie": f"sessionid={session}; csrftoken={TOKEN}", "X-CSRFToken": TOKEN}


def end_of(client: socket.socket) -> bytes:
    """What the server says until it closes the connection."""
    said = b""
    with suppress(ConnectionResetError):
        while piece := client.recv(65536):
            said += piece
    return said


SLOW = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow",
    b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n",
    b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n384\r\n",
    b"POST /api/v1/toolbox/canny/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n",
    b"",
)


@contextmanager
def fifty_slow_clients(server: Served) -> Iterator[list[socket.socket]]:
    """Each has sent the beginning of something, and a byte more three times; meanwhile others were answered."""
    with ExitStack() as stack:
        slow = [stack.enter_context(server.connect()) for _ in range(50)]
        for number, client in enumerate(slow):
            client.sendall(SLOW[number % len(SLOW)])
        for _ in range(3):
            for client in slow:
                client.send(b"a")
            assert server.ask("/live") < (200, 1)
            assert server.ask("/sign-in/") < (200, 2)
        yield slow


@pytest.mark.one_database
@pytest.mark.endurance
def test_fifty_slow_clients_hold_up_nobody_and_are_closed(server: Served) -> None:
    """D3.1: heads and bodies that arrive a byte at a time take no thread, whatever length they announce."""
    with fifty_slow_clients(server) as slow:
        said = [end_of(client) for client in slow]
    assert {answer[:12] for answer in said} <= {b"", b"HTTP/1.1 408"}
    # People read a sentence, programs the errors they know.
    assert {b'"code": "refused"' in answer for answer in said[3::5]} == {True}
    assert {b"text/plain" in answer for answer in said[1::5]} == {True}
    assert sum(answer.startswith(b"HTTP/1.1 408") for answer in said) == 30
    assert server.ask("/sign-in/") < (200, 2)


@pytest.mark.one_database
def test_fifty_slow_clients_of_the_proxy_hold_up_nobody(server: Served, lea: User, tmp_path: Path) -> None:
    """D3.1, D3.2: in the containers too; only where files are uploaded are bodies passed on as they come."""
    create_benchmark(actor=lea, slug="street")
    with proxied(server, tmp_path) as proxy:
        with fifty_slow_clients(proxy):
            pass
        for path, status in (("/sign-in/", b"413"), ("/benchmarks/street/import/", b"413")):
            said = poured(proxy, path, "Content-Length: 700000000", "")
            assert said in (b"", b"HTTP/1.1 " + status)
        sent = {**cookies(lea), "Content-Type": "multipart/form-data; boundary=line"}
        file = b"--line\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n" + b"x" * 20_000_000
        answer = proxy.ask("/benchmarks/street/import/", "POST", file + b"\r\n--line--\r\n", sent)
        assert answer[0] == 400


@pytest.mark.one_database
def test_the_process_is_alive_while_all_its_threads_are_busy(server: Served, lea: User, database_address: str) -> None:
    """D3.9: ``/live`` takes no thread; D3.1: clients that are gone leave none behind."""
    if connection.vendor != "sqlite":
        pytest.skip("another database is held up otherwise")
    body, headers = "name=Lea", {**cookies(lea), "Content-Type": "application/x-www-form-urlencoded"}
    with (
        closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other,
        ExitStack() as stack,
    ):
        other.execute("BEGIN IMMEDIATE")
        for _ in range(THREADS + 2):
            client = stack.enter_context(closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)))
            client.request("POST", "/account/name/", body, headers)
        for _ in range(3):
            assert server.ask("/live") < (200, 1)
        stack.close()
        other.execute("ROLLBACK")
    assert server.ask("/account/", headers=cookies(lea))[0] == 200


def poured(server: Served, path: str, framing: str, cookie: str) -> bytes:
    """The answer to a body of 700 MB, of which as much is sent as the server takes, and no more than 40 MB."""
    piece = b"x" * (1 << 20)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=line\r\n"
    with server.connect() as client:
        client.sendall(f"{head}Cookie: csrftoken={TOKEN}; {cookie}\r\n{framing}\r\n\r\n".encode())
        with suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(40):
                client.sendall(b"%x\r\n" % len(piece) + piece + b"\r\n" if "chunked" in framing else piece)
        with suppress(ConnectionResetError):
            return client.recv(12)
    return b""


@pytest.mark.endurance
def test_what_nobody_asked_for_is_not_written_to_the_disk(server: Served, sam: User, lea: User) -> None:
    """D3.4: a body is refused before it is read, by its length and by its bytes; a lead's upload is read."""
    create_benchmark(actor=lea, slug="street")
    upload = "/benchmarks/street/import/"
    framings = ("Content-Length: 700000000", "Transfer-Encoding: chunked")
    begun = server.written()
    # A client that goes on sending may be cut off before it reads the answer.
    for path in ("/sign-in/", "/", "/nothing/", "/api/v1/toolbox/canny/", upload, "/live"):
        for framing in framings:
            assert poured(server, path, framing, "") in (b"HTTP/1.1 413", b""), (path, framing)
    assert server.written() - begun < 1_000_000
    # An account alone gives no right to upload: no more than a long form is taken.
    for framing in framings:
        assert poured(server, upload, framing, cookies(sam)["Cookie"]) in (b"HTTP/1.1 413", b""), framing
    assert server.written() - begun < 20_000_000
    file = b"--line\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n" + b"x" * 20_000_000
    sent = {**cookies(lea), "Content-Type": "multipart/form-data; boundary=line"}
    assert server.ask(upload, "POST", file + b"\r\n--line--\r\n", sent)[0] == 400
    assert server.written() - begun > 40_000_000


@pytest.mark.endurance
def test_six_pictures_of_196_megapixels_at_once_cost_no_memory(server: Served, ana: User, lea: User) -> None:
    """D3.3: each is refused by its header, in less than a second."""
    add_member(actor=lea, benchmark=create_benchmark(actor=lea, slug="street"), user=ana, role=Role.ANNOTATOR)
    image = one_color(14_000, 14_000)
    body = b"--line\r\nContent-Disposition: form-data; name=image; filename=a.png\r\n\r\n" + image + b"\r\n--line--\r\n"
    sent = {**cookies(ana), "Content-Type": "multipart/form-data; boundary=line"}
    address = "/api/v1/toolbox/colorspace_gray/"
    assert server.ask(address, "POST", body, sent)[0] == 413
    before = server.most_memory()
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: server.ask(address, "POST", body, sent), range(6)))
    assert {status for status, _ in answers} <= {413, 429}
    assert max(seconds for _, seconds in answers) < 1
    assert server.most_memory() - before < 100


@pytest.mark.one_database
@pytest.mark.endurance
def test_clients_that_do_not_read_take_no_threads_of_others_and_are_cut_off(server: Served) -> None:
    """D3.1: an answer is sent at the client's pace outside of the threads of pages, and not for long."""
    with ExitStack() as stack:
        for _ in range(STREAMS + THREADS + 4):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", server.port))
            client.sendall(b"GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert server.until("no room", lambda: server.ask("/flood")[0] == 503)
        assert server.ask("/live") < (200, 1)
        assert server.ask("/sign-in/") < (200, 2)
        # None of them goes, and still there is room again.
        assert server.until("room", lambda: server.ask("/flood")[0] == 200)
    assert "Traceback" not in server.process.output


@pytest.mark.one_database
def test_a_client_that_goes_ends_what_was_made_for_it(server: Served) -> None:
    """D3.1: the thread of an answer that nobody reads is free again."""
    for _ in range(2 * STREAMS):
        with server.connect() as client:
            client.sendall(b"GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.recv(10)
    assert server.until("room", lambda: server.ask("/flood")[0] == 200, seconds=1.5)
    assert "Traceback" not in server.process.output


def test_a_request_in_pieces_and_several_on_one_connection_are_answered(server: Served, lea: User) -> None:
    with server.connect() as client:
        for part in (
            b"GET /live HTT",
            b"P/1.1\r\nHost: localhost\r\n\r\nGET /nothing/ HTTP/1.1\r\nHost: localhost\r\n",
        ):
            client.sendall(part)
        client.sendall(b"\r\nGET http://localhost/sign-in/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        said = end_of(client)
    assert re.findall(rb"HTTP/1.1 (\d+)", said) == [b"200", b"404", b"200"]
    form = {**cookies(lea), "Content-Type": "application/x-www-form-urlencoded"}
    assert server.ask("/account/name/", "POST", iter([b"name=", b"Lea+Moreau"]), form)[0] == 302


@pytest.mark.one_database
def test_an_answer_is_not_held_back_until_its_client_has_spoken(server: Served) -> None:
    """Small pieces are sent at once: otherwise each answer on a kept connection takes 40 ms."""
    taken = []
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as client:
        for _ in range(15):
            begun = time.monotonic()
            client.request("GET", "/live")
            client.getresponse().read()
            taken.append(time.monotonic() - begun)
    assert median(taken) < 0.03


@pytest.mark.one_database
def test_serving_on_a_public_address_is_warned_of(database_address: str, folder: Path) -> None:
    """D3.2: passwords would cross the network as they are."""
    for host, warned in (("127.0.0.1", False), ("0.0.0.0", True)):
        with served(database_address, folder, host) as found:
            assert ("Warning: other machines can reach" in found.process.output) == warned


def test_the_server_ends_soon_though_a_client_is_slow_and_a_request_works_long(server: Served) -> None:
    with server.connect() as slow:
        slow.sendall(b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\na")
        begun = time.monotonic()
        os.kill(server.process.pid, signal.SIGTERM)
        server.process.wait(10)
    assert time.monotonic() - begun < 4
    assert "Traceback" not in server.process.output
