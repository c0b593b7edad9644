"""A thread that does one job at a time. While a job waits for the host, the jobs behind it are done: the host may ask
the same addon something before it can answer."""

import threading
from queue import SimpleQueue
from typing import Callable, Optional, Protocol

Job = Callable[[], None]


class Waitable(Protocol):
    """Something that becomes done."""

    @property
    def done(self) -> bool: ...


class Lane:
    """Jobs in order. `submit` and `close` may be called from any thread."""

    def __init__(self) -> None:
        self._jobs: "SimpleQueue[Optional[Job]]" = SimpleQueue()
        self._ident: Optional[int] = None
        self.closed = False

    def submit(self, job: Job) -> None:
        """Puts a job at the end."""
        self._jobs.put(job)

    def run(self) -> None:
        """Does jobs on this thread until the lane is closed."""
        self._ident = threading.get_ident()
        while not self.closed:
            self._next()

    def start(self, name: str) -> None:
        """Runs on a thread of its own, which does not keep the process alive."""
        threading.Thread(target=self.run, name=name, daemon=True).start()

    def is_current(self) -> bool:
        """Whether this is the lane's thread."""
        return threading.get_ident() == self._ident

    def wait_for(self, awaited: Waitable) -> None:
        """Does jobs until `awaited` is done. On the lane's thread only; who makes it done must `wake` the lane."""
        while not awaited.done and not self.closed:
            self._next()

    def wake(self) -> None:
        """Makes a waiting lane look again."""
        self._jobs.put(_nothing)

    def close(self) -> None:
        """Ends the lane after the job that runs."""
        self.closed = True
        self._jobs.put(None)

    def _next(self) -> None:
        job = self._jobs.get()
        if job is not None:
            job()


def _nothing() -> None:
    return None
