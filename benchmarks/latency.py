"""A server farther away: passes TCP on, each byte half a round trip later, in both directions. TLS goes through."""

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_SERVER = re.compile(r"https://127\.0\.0\.1:(\d+)")
_CHUNK = 1 << 16


@contextmanager
def farther(kubeconfig: Path, milliseconds: float, copy: Path) -> Iterator[Path]:
    """Write a copy of a kubeconfig that leads to its server by a way with this round trip, and give it."""
    written = kubeconfig.read_text(encoding="utf-8")
    found = _SERVER.search(written)
    if found is None:
        raise SystemExit(f"{kubeconfig} names no server on 127.0.0.1")
    with _relay(int(found[1]), milliseconds / 2000) as port:
        copy.write_text(_SERVER.sub(f"https://127.0.0.1:{port}", written), encoding="utf-8")
        yield copy


@contextmanager
def _relay(to: int, delay: float) -> Iterator[int]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="farther", daemon=True)
    thread.start()

    def done(step: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(step, loop).result(10)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(2 * delay)  # the handshake of TCP
        theirs, ours = await asyncio.open_connection("127.0.0.1", to)
        with suppress(asyncio.CancelledError):  # at the end; a callback of asyncio's would print it
            await asyncio.gather(_pass_on(reader, ours, delay), _pass_on(theirs, writer, delay))

    async def end() -> None:
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    server = done(asyncio.start_server(serve, "127.0.0.1", 0))
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        done(end())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Write what is read, in order and each piece ``delay`` seconds after it came; the pipe itself is never full."""
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    clock = asyncio.get_running_loop().time

    async def write() -> None:
        with suppress(OSError):
            while (piece := await waiting.get())[1]:
                await asyncio.sleep(piece[0] - clock())
                writer.write(piece[1])
                await writer.drain()
        writer.close()

    writing = asyncio.create_task(write())
    with suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            waiting.put_nowait((clock() + delay, chunk))
    waiting.put_nowait((0, b""))
    await writing
