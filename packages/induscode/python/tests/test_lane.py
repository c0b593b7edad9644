import threading
import unittest
from typing import List

from induscode.addons.process.lane import Lane


class Awaited:
    done = False


class Lanes(unittest.TestCase):
    def test_jobs_run_in_order_on_one_thread(self) -> None:
        lane, seen, threads = Lane(), [], set()
        for number in range(100):
            lane.submit(lambda number=number: (seen.append(number), threads.add(threading.get_ident())))
        lane.submit(lane.close)
        lane.start("test")
        deadline = threading.Event()
        for _ in range(500):
            if lane.closed:
                break
            deadline.wait(0.01)
        self.assertEqual((seen, len(threads)), (list(range(100)), 1))

    def test_a_waiting_job_lets_the_ones_behind_it_run(self) -> None:
        lane, awaited, seen = Lane(), Awaited(), []  # type: ignore[var-annotated]

        def outer() -> None:
            seen.append("outer waits")
            lane.wait_for(awaited)
            seen.append("outer goes on")

        def inner() -> None:
            seen.append("inner")
            awaited.done = True

        for job in (outer, inner, lane.close):
            lane.submit(job)
        lane.run()
        self.assertEqual(seen, ["outer waits", "inner", "outer goes on"])

    def test_closing_ends_a_wait(self) -> None:
        lane = Lane()
        ended: List[bool] = []
        lane.submit(lambda: (lane.wait_for(Awaited()), ended.append(True)))
        lane.submit(lane.close)
        lane.run()
        self.assertEqual(ended, [True])
