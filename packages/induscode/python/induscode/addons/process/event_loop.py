"""The one asyncio loop of an addon's `async` handlers, on a thread of its own that starts with the first of them."""

import threading
import traceback
from typing import Any, Callable, Coroutine


class EventLoop:
    """Starts on first use, because importing asyncio costs more than everything else of the kit."""

    def __init__(self) -> None:
        self._loop: Any = None
        self._starting = threading.Lock()
        self._closing = False

    def spawn(self, coroutine: Coroutine[Any, Any, None], context: Any, on_task: Callable[[Any], None]) -> None:
        """Runs a coroutine as a task in a context; `on_task` gets the task before it begins. From any thread."""
        loop = self._ready()

        def begin() -> None:
            # The task copies the context that this callback runs in.
            on_task(loop.create_task(coroutine))

        loop.call_soon_threadsafe(begin, context=context)

    def soon(self, call: Callable[[], Any]) -> None:
        """Calls something on the loop's thread. From any thread; nothing happens once the loop is closed."""
        if self._loop is not None and not self._closing:
            self._loop.call_soon_threadsafe(call)

    def close(self, seconds: float) -> None:
        """Cancels every task and gives them a moment to end."""
        if self._loop is None:
            return
        import asyncio

        async def end() -> None:
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=seconds) if tasks else None

        self._closing = True
        try:
            asyncio.run_coroutine_threadsafe(end(), self._loop).result(seconds + 0.1)
        except Exception:  # A hanging loop does not keep the process.
            traceback.print_exc()

    def _ready(self) -> Any:
        with self._starting:
            if self._loop is None:
                import asyncio

                loop = asyncio.new_event_loop()
                started = threading.Event()
                threading.Thread(
                    target=self._run, args=(loop, started), name="indus-async", daemon=True
                ).start()
                started.wait()
                self._loop = loop
        return self._loop

    def _run(self, loop: Any, started: threading.Event) -> None:
        import asyncio

        asyncio.set_event_loop(loop)
        loop.call_soon(started.set)
        while not self._closing:
            try:
                loop.run_forever()
            except (SystemExit, KeyboardInterrupt):  # Raised by a task that the addon itself made.
                traceback.print_exc()
