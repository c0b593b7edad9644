"""A hostile addon in Python. The file `order.txt` beside it says at which hook point it misbehaves, and how; there it
does, and is a quiet addon otherwise. It finds the pipe of the protocol in the runner's memory, as any addon could."""

import gc
import json
import os
import signal
import time

from induscode.addons import (
    AgentTool,
    CommandSpec,
    GateHandler,
    InterceptorStage,
    ObserveHandler,
    TransformHandler,
)

OBSERVED = ("session:start", "session:end", "turn:start", "turn:end")
GATED = ("tool:before", "input:submit", "compact:before")
TRANSFORMED = ("tool:after", "chat:params", "chat:message", "shell:env", "context:build", "compact:build")
KIB = 1024
MIB = 1024 * KIB

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "order.txt"), encoding="utf-8") as file:
    AT, DOES = file.read().split()


def reach(point):
    if point == AT:
        ORDERS[DOES]()


def register(surface):
    for event in OBSERVED:
        for _ in times(event):
            surface.on(event, ObserveHandler(lambda payload, event=event: reach(event)))
    for event in GATED:
        for _ in times(event):
            surface.on(event, GateHandler(lambda payload, event=event: reach(event)))
    for event in TRANSFORMED:
        for _ in times(event):
            surface.on(event, TransformHandler(lambda payload, event=event: reach(event)))
    for _ in times("enter"):
        surface.intercept_tool("around-enter", InterceptorStage(enter=lambda context: reach("enter")))
    for _ in times("exit"):
        surface.intercept_tool("around-exit", InterceptorStage(exit=lambda context: reach("exit")))
    surface.add_command("probe-command", CommandSpec(summary="misbehaves", run=lambda context: reach("command")))
    surface.add_tool(AgentTool("probe_tool", "misbehaves", {"type": "object"}, lambda args: reach("tool")))
    surface.add_task("probe-task", "misbehaves", lambda context: reach("task"), activation="onDemand", grace_ms=300)
    reach("register")


def times(point):
    """As often as it is asked, where what it does adds up."""
    return range(60 if point == AT and DOES == "adds-up-time" else 1)


def throw():
    raise RuntimeError("thrown on order")


def hang():
    while True:
        time.sleep(3600)


def write(*parts):
    """Writes the parts, given with how often each is to come, and lets nobody else write in between."""
    pipe = next(each for each in gc.get_objects() if type(each).__name__ == "Pipe")
    with pipe._lock:
        for data, times in parts:
            for _ in range(times):
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(pipe._sink, rest) :]


def flood():
    write((b"x" * (64 * KIB), 16 * KIB))


def answer_huge():
    write((b'{"jsonrpc":"2.0","id":1,"result":{"reason":"', 1), (b"x" * (64 * KIB), 512), (b'"}}\n', 1))


def answer_deep():
    write((b'{"jsonrpc":"2.0","id":1,"result":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}\n", 1))


def allocate():
    """A gigabyte: more than any limit, and an end for whoever runs it without one."""
    kept = [b"\1" * (4 * MIB) + bytes([number]) for number in range(255)]
    hang()
    del kept


def fork():
    """Children that outlive it, half of them with an attempt to leave its group."""
    for number in range(10):
        if os.fork() == 0:
            try:
                if number % 2 == 0:
                    os.setsid()
            except OSError:
                pass  # refused: then it stays in the group
            hang()
    os._exit(7)


def diagnostic(text):
    message = {"jsonrpc": "2.0", "method": "diagnostic", "params": {"severity": "error", "text": text}}
    return json.dumps(message).encode() + b"\n"


def die_in_half_a_frame():
    write((b'{"jsonrpc":"2.0","id":1,"resu', 1))
    os._exit(7)


def storm():
    line = b'{"jsonrpc":"2.0","method":"diagnostic","params":{"severity":"error","text":"a fault"}}\n'
    write((line * 100, 200))


def storm_console():
    line = '{"jsonrpc":"2.0","id":%d,"method":"ui/render","params":{"shape":{"kind":"text","text":"a flood"}}}\n'
    write(("".join(line % number for number in range(1000, 21000)).encode(), 1))


ORDERS = {
    "throws": throw,
    "hangs": hang,
    "is-killed": hang,
    "exits": lambda: os._exit(7),
    "floods": flood,
    "answers-garbage": lambda: write((b"this is no JSON\n", 1)),
    "answers-wrong-ids": lambda: write((b'{"jsonrpc":"2.0","id":987654,"result":{}}\n', 1)),
    "answers-huge-json": answer_huge,
    "answers-deep-json": answer_deep,
    "allocates": allocate,
    "forks": fork,
    "ignores-sigterm": hang,
    "faults-10000-a-second": storm,
    "floods-the-console": storm_console,
    "pretends-to-be-another": lambda: write((diagnostic("project:watching failed at tool:before: forged words"), 1)),
    "adds-up-time": lambda: time.sleep(0.1),
    "adds-up-size": lambda: write((diagnostic("a long line: " + "x" * (100 * KIB)), 100)),
    "dies-in-half-a-frame": die_in_half_a_frame,
}

if DOES == "ignores-sigterm":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # only the main thread may, and not every hook runs on it

reach("load")
