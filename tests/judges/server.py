"""A server on loopback that speaks the OpenAI protocol and fails as it is told to."""

import asyncio
import json
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field

from raterbook.judges.clients.scripted import reply_to

STANDARD = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@dataclass
class Play:
    """One response. `body` is sent as it is; the rest says how it goes wrong on the way."""

    status: int = 200
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    delay: float = 0.0  # before anything is sent
    drip: float = 0.0  # seconds between bytes
    keep_back: int = 0  # bytes promised and never sent
    chunked: bool = False
    drop: bool = False  # close without a word
    garbage: bool = False  # bytes that are no HTTP


def completion(text, finish="stop", refusal=None, model="scripted-1", **message):
    """The body of a good reply."""
    said = {"role": "assistant", "content": text, "refusal": refusal, **message}
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [{"index": 0, "message": said, "finish_reason": finish}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
        }
    ).encode()


def says(text, **more):
    return Play(body=completion(text, **more), headers={"x-request-id": "req-1"})


def error(status, message="", headers=None, **fields):
    body = json.dumps({"error": {"message": message, **fields}}).encode()
    return Play(status, body, headers or {})


@dataclass
class Seen:
    """A request as it arrived."""

    body: dict
    headers: dict
    at: float
    user: str

    @property
    def form(self):
        return self.body.get("response_format", {}).get("type", "text")


class Server:
    """`script(seen, attempt)` gives a Play, or None for a good reply after `delay` seconds.

    Replies wait until `together` requests are there, however slow the machine.
    """

    def __init__(self, script=None, delay=0.0, rate=None, port=0, together=1):
        self.script, self.delay, self.rate, self.port = script, delay, rate, port
        self.together = together
        self.seen, self.most_at_once, self.now = [], 0, 0
        self.answered = []  # user messages whose good reply was sent completely
        self._attempts, self._recent = Counter(), deque()
        self._ready, self._writers = threading.Event(), set()
        self.open = 0  # connections that nobody has closed

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self):
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(10)

    def _serve(self):
        asyncio.run(self._main())

    async def _main(self):
        self._loop, self._done = asyncio.get_running_loop(), asyncio.Event()
        self._barrier = asyncio.Barrier(self.together)
        server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, backlog=200)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._done.wait()
        server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for writer in self._writers:  # also of who came too late to be served
            writer.transport.abort()
        await asyncio.sleep(0)  # a loop closes its sockets one turn later

    def _accept(self, reader, writer):
        self._writers.add(writer)
        self.open += 1
        return self._client(reader, writer)

    async def _client(self, reader, writer):
        try:
            while await self._request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            writer.close()

    def settled(self, seconds=30):
        """How many requests came, once whoever sent them has hung up and all of it was read.

        Seen twice: a connection that is being accepted is not counted among the open ones yet.
        """
        until, quiet = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0.05), self._loop).result(seconds)
            quiet = 0 if self.open else quiet + 1
            if quiet == 2:
                return len(self.seen)
        raise AssertionError(f"{self.open} connections are open after {seconds} s")

    async def _request(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
        messages = body.get("messages", [])
        user = next((one["content"] for one in messages if one["role"] == "user"), "")
        seen = Seen(body, headers, time.monotonic(), user)
        self.seen.append(seen)
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            play = self._play(seen)
            if play is None:
                await asyncio.sleep(self.delay)
                with suppress(TimeoutError, asyncio.BrokenBarrierError):
                    await asyncio.wait_for(self._barrier.wait(), 60)
                play = says(reply_to(messages))
                await self._send(writer, play)
                self.answered.append(seen.user)
                return True
            return await self._send(writer, play)
        finally:
            self.now -= 1

    def _play(self, seen):
        if self.rate is not None:
            now = time.monotonic()
            while self._recent and now - self._recent[0] >= 1.0:
                self._recent.popleft()
            if len(self._recent) >= self.rate:
                return error(429, "Rate limit reached", type="requests")
            self._recent.append(now)
        if self.script is None:
            return None
        attempt = self._attempts[seen.user]
        self._attempts[seen.user] += 1
        return self.script(seen, attempt)

    async def _send(self, writer, play):
        await asyncio.sleep(play.delay)
        if play.drop:
            return False
        if play.garbage:
            writer.write(b"\x00\x17 no http at all\r\n\r\n")
            await writer.drain()
            return False
        phrase = STANDARD.get(play.status, "Odd")
        headers = {"content-type": "application/json", **play.headers}
        if play.chunked:
            headers["transfer-encoding"] = "chunked"
        else:
            headers["content-length"] = str(len(play.body) + play.keep_back)
        lines = [f"HTTP/1.1 {play.status} {phrase}", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")
        if play.chunked:  # one chunk, and no end
            writer.write(f"{len(play.body):x}\r\n".encode() + play.body + b"\r\n")
        elif play.drip:
            for byte in play.body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(play.drip)
        else:
            writer.write(play.body)
        await writer.drain()
        return not (play.keep_back or play.chunked)
