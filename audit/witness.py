"""The witness: a process of its own that remembers the newest checkpoint and cosigns only consistent growth.

`python -m audit.witness` needs no database and no framework. It has its own key and its own file. Whoever
rewrites the journal, cuts it or brings back an old backup has to show it a proof that does not exist. The
requests are those of C2SP's tlog-witness, so that a witness elsewhere can take its place.
"""

from __future__ import annotations

import argparse
import binascii
import logging
import signal
import sys
import threading
import time
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from audit.keys import NoKey, load_published, load_signer, replace_file
from audit.rules.checkpoint import WITNESS_KEY, BadCheckpoint, Checkpoint, Signer, VerifierKey, open_note
from audit.rules.merkle import BadProof, verify_consistency

LONGEST_REQUEST = 64 * 1024
LONGEST_PROOF = 63
TEXT = "text/plain; charset=utf-8"
SIZE = "text/x.tlog.size"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request is answered with."""

    status: HTTPStatus
    text: str
    kind: str = TEXT


class Witness:
    """One log's witness, with what it saw last."""

    def __init__(
        self,
        *,
        signer: Signer,
        store: Path,
        log_key: Callable[[], VerifierKey | None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Remember what the store holds; without a store, nothing was seen yet.

        :raises BadCheckpoint: if the store holds no checkpoint: it is not begun anew, which would forget.
        """
        self.signer, self._store, self._log_key, self._clock = signer, store, log_key, clock
        self._lock = threading.Lock()
        self.note = store.read_text() if store.exists() else ""
        self._seen = Checkpoint.parse(self.note) if self.note else None

    def add(self, request: str) -> Answer:
        """Cosign a checkpoint that is shown to be a growth of the last one, after it is safely remembered."""
        key = self._log_key()
        if key is None:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, "the log's key is not there yet\n")
        try:
            old_size, proof, note = _parse(request)
            origin = Checkpoint.parse(note).origin
        except (BadCheckpoint, ValueError) as problem:
            return Answer(HTTPStatus.BAD_REQUEST, f"{problem}\n")
        if origin != key.name:
            return Answer(HTTPStatus.NOT_FOUND, f"this witness knows {key.name} only\n")
        try:
            wanted = open_note(note, key)
        except BadCheckpoint as problem:
            return Answer(HTTPStatus.FORBIDDEN, f"{problem}\n")
        if old_size > wanted.size:
            return Answer(HTTPStatus.BAD_REQUEST, "the old size is above the new one\n")
        with self._lock:
            return self._grow(old_size, proof, note, wanted)

    def _grow(self, old_size: int, proof: list[bytes], note: str, wanted: Checkpoint) -> Answer:
        seen = self._seen
        if old_size != (seen.size if seen else 0):
            return Answer(HTTPStatus.CONFLICT, f"{seen.size if seen else 0}\n", SIZE)
        if seen is not None:
            if seen.size == wanted.size and seen.root != wanted.root:
                return Answer(HTTPStatus.CONFLICT, f"{seen.size}\n", SIZE)
            try:
                verify_consistency(seen.size, wanted.size, proof, seen.root, wanted.root)
            except BadProof as problem:
                return Answer(HTTPStatus.UNPROCESSABLE_ENTITY, f"{problem}\n")
        elif proof:
            return Answer(HTTPStatus.UNPROCESSABLE_ENTITY, "there is nothing to prove a growth from\n")
        line = self.signer.signature_line(wanted.body(), int(self._clock()))
        cosigned = f"{note}{line}"
        replace_file(self._store, cosigned)
        self.note, self._seen = cosigned, wanted
        return Answer(HTTPStatus.OK, line)

    def newest(self) -> Answer:
        """Return the newest checkpoint it cosigned."""
        if not self.note:
            return Answer(HTTPStatus.NOT_FOUND, "nothing was seen yet\n")
        return Answer(HTTPStatus.OK, self.note)


def _parse(request: str) -> tuple[int, list[bytes], str]:
    """Read a request: the old size, the proof's hashes a line each, an empty line, the signed note.

    :raises ValueError: if it is none.
    """
    head, mark, note = request.partition("\n\n")
    first, *steps = head.split("\n")
    if not mark or not first.startswith("old ") or not first[4:].isdecimal() or len(first) > 24:
        raise ValueError("a request begins with `old` and a size, and has an empty line before the note")
    if len(steps) > LONGEST_PROOF:
        raise ValueError("the proof is too long")
    try:
        return int(first[4:]), [b64decode(step, validate=True) for step in steps], note
    except binascii.Error as error:
        raise ValueError("a line of the proof is no base64") from error


class WitnessServer(ThreadingHTTPServer):
    """The witness at one address."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], witness: Witness) -> None:
        """Listen."""
        super().__init__(address, Handler)
        self.witness = witness


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "BluecardWitness"
    sys_version = ""
    timeout = 30
    disable_nagle_algorithm = True
    server: WitnessServer

    def do_GET(self) -> None:
        """Answer what was seen last, and with which key it is signed."""
        witness = self.server.witness
        answers: dict[str, Callable[[], Answer]] = {
            "/checkpoint": witness.newest,
            "/key": lambda: Answer(HTTPStatus.OK, f"{witness.signer.verifier}\n"),
            "/health": lambda: Answer(HTTPStatus.OK, "ok\n"),
        }
        answer = answers.get(self.path)
        self._send(answer() if answer else Answer(HTTPStatus.NOT_FOUND, "there is no such page\n"))

    def do_POST(self) -> None:
        """Take a checkpoint to be cosigned."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LONGEST_REQUEST:
            self.close_connection = True
            self._send(Answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too long\n"))
            return
        body = self.rfile.read(int(length))
        if self.path != "/add-checkpoint":
            self._send(Answer(HTTPStatus.NOT_FOUND, "there is no such page\n"))
            return
        try:
            answer = self.server.witness.add(body.decode())
        except UnicodeDecodeError:
            answer = Answer(HTTPStatus.BAD_REQUEST, "the request is no UTF-8\n")
        self._send(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Log one request below the level that is shown."""
        logger.debug(format, *args)

    def _send(self, answer: Answer) -> None:
        if answer.status >= HTTPStatus.BAD_REQUEST and self.command == "POST":
            logger.warning("refused: %s %s", answer.status.value, answer.text.strip())
        text = answer.text.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def main(arguments: list[str] | None = None) -> int:
    """Serve the witness and return the exit status: 0 stopped, 1 key or store will not do."""
    parser = argparse.ArgumentParser(prog="python -m audit.witness", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free port and prints it")
    parser.add_argument("--name", default="bluecard.localhost/witness", help="the name it signs with")
    parser.add_argument("--folder", type=Path, required=True, help="holds its key and what it saw last")
    parser.add_argument("--log-key", required=True, help="the journal's public key, or the file it lies in")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        witness = Witness(
            signer=load_signer(options.folder / "witness.key", options.name, WITNESS_KEY, may_make=True),
            store=options.folder / "newest",
            log_key=lambda: load_published(options.log_key),
        )
        server = WitnessServer((options.host, options.port), witness)
    except (NoKey, BadCheckpoint, OSError) as problem:
        print(f"witness: {problem}", file=sys.stderr)
        return 1

    def on_signal(number: int, frame: object) -> None:
        # serve_forever runs in this very thread, and shutdown() waits for it.
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    url = f"http://{options.host}:{server.server_address[1]}"
    replace_file(options.folder / "url", f"{url}\n", 0o644)
    print(f"witness listening on {url}", flush=True)
    server.serve_forever(poll_interval=0.2)
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
