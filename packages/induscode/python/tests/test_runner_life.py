import os
import subprocess
import sys
import time
import unittest

from induscode.addons import _protocol as protocol
from runner_client import KIT, START, RpcFailure, Runner, RunnerCase

HANDLERS = '''
import asyncio, os, subprocess, sys, threading, time
from induscode.addons import *
seen = []
def sync(p):
    exec(p["do"], globals())
async def later(p):
    seen.append("began")
    host.log("began")
    try:
        await asyncio.sleep(p.get("seconds", 0))
    except asyncio.CancelledError:
        seen.append("cancelled")
        if p.get("stubborn"): return
        raise
def register(surface):
    global host, handles
    host, handles = surface.host, surface.handles
    surface.on("turn:start", ObserveHandler(sync))
    surface.on("turn:end", ObserveHandler(later))
    surface.on("chat:message", TransformHandler(lambda p: {"seen": seen}))
    surface.add_command("do", CommandSpec("Does.", lambda c: exec(c.args, {**globals(), "c": c})))
    surface.add_command("do later", CommandSpec("Does.", do_later))
    surface.add_tool(AgentTool("do", "Does.", {}, lambda a: eval(a["value"])))
    surface.add_task("plain", "Waits.", plain)
    surface.add_task("loop", "Loops.", loop)
    surface.add_task("asks", "Asks.", lambda c: host.read_file("x"))
async def do_later(c):
    scope = {**globals(), "c": c}
    exec("async def body():\\n" + "".join("    " + line + "\\n" for line in c.args.split("\\n")), scope)
    await scope["body"]()
def plain(c):
    seen.append("plain")
    host.log("began")
    while not c.wait(5): pass
    seen.append(("stopped", c.stopped))
async def loop(c):
    seen.append("loop")
    host.log("began")
    try:
        while True: await asyncio.sleep(5)
    finally:
        seen.append("loop ended")
'''


class LifeCase(RunnerCase):
    def setUp(self) -> None:
        super().setUp()
        self.runner = self.shared_addon(HANDLERS)
        self.runner.answer_to(self.sync("seen.clear()"))
        self.runner.received.clear()

    def sync(self, do: str) -> int:
        return self.runner.send("event", {"handler": 0, "event": "turn:start", "payload": {"do": do}})

    def later(self, **payload: object) -> int:
        return self.runner.send("event", {"handler": 1, "event": "turn:end", "payload": payload})

    def seen(self) -> object:
        answer = self.runner.ask("event", {"handler": 2, "event": "chat:message", "payload": {}})
        return answer["payload"]["seen"]

    def command(self, args: str, name: str = "do") -> int:
        return self.runner.send("command", {"name": name, "args": args, "cwd": "/w"})

    def acknowledged(self, id: int) -> None:
        self.runner.wait_for(lambda message: message.get("method") == "ack" and message["params"] == {"id": id})

    def begun(self) -> None:
        self.runner.wait_for(lambda message: message.get("method") == "log" and message["params"]["text"] == "began")

    def answered(self, id: int) -> bool:
        return any("method" not in message and message["id"] == id for message in self.runner.received)

    def progress(self) -> list:
        return [params["text"] for params in self.runner.notices("progress")]


class Flight(LifeCase):
    def test_a_handler_that_blocks_does_not_keep_requests_from_being_acknowledged(self) -> None:
        for do in ("time.sleep(0.01)", "pass"):
            self.runner.received.clear()
            blocking = self.sync(f"host.log('began')\nwhile not host.cancelled: {do}")
            self.acknowledged(blocking)
            self.begun()
            others = [self.sync("pass"), self.later(), self.command("pass")]
            for other in others:
                self.acknowledged(other)
            self.assertFalse(self.answered(blocking))
            self.runner.cancel(blocking)
            for id in (blocking, *others):
                self.assertEqual(self.runner.answer_to(id), {})

    def test_a_slow_command_does_not_hold_up_a_gate(self) -> None:
        slow = self.command("gate = threading.Event(); seen.append(gate); gate.wait(60)")
        self.runner.answer_to(self.sync("pass"))
        self.assertFalse(self.answered(slow))
        self.sync("while not seen: time.sleep(0.01)\nseen[-1].set()")
        self.assertEqual(self.runner.answer_to(slow), {})

    def test_plain_handlers_run_one_at_a_time_and_in_order(self) -> None:
        ids = [self.sync(f"seen.append(({n}, 'in')); time.sleep(0.01); seen.append(({n}, 'out'))") for n in range(10)]
        for id in ids:
            self.runner.answer_to(id)
        self.assertEqual(self.seen(), [[n, edge] for n in range(10) for edge in ("in", "out")])

    def test_async_handlers_run_side_by_side(self) -> None:
        waiting = [self.later(seconds=3_600) for _ in range(20)]
        while self.seen() != ["began"] * 20:
            pass
        for id in waiting:
            self.runner.cancel(id)
            self.fails(protocol.ERROR_CANCELLED, lambda: self.runner.answer_to(id))

    def test_answers_come_when_they_are_ready(self) -> None:
        slow, fast = self.later(seconds=3_600, stubborn=True), self.later()
        self.runner.answer_to(fast)
        self.assertFalse(self.answered(slow))
        self.runner.cancel(slow)
        self.runner.answer_to(slow)


class Cancelling(LifeCase):
    def test_an_async_handler_is_cancelled(self) -> None:
        id = self.later(seconds=30)
        self.begun()
        self.runner.cancel(id)
        self.fails(protocol.ERROR_CANCELLED, lambda: self.runner.answer_to(id))
        self.assertEqual(self.seen(), ["began", "cancelled"])

    def test_one_that_ends_all_the_same_answers_its_result(self) -> None:
        id = self.later(seconds=30, stubborn=True)
        self.begun()
        self.runner.cancel(id)
        self.assertEqual(self.runner.answer_to(id), {})

    def test_cancelling_at_once_is_still_answered_once(self) -> None:
        for _ in range(50):
            id = self.later(seconds=30)
            self.runner.cancel(id)
            self.fails(protocol.ERROR_CANCELLED, lambda: self.runner.answer_to(id))
        self.seen()
        answers = [message["id"] for message in self.runner.received if "method" not in message]
        self.assertEqual(len(answers), len(set(answers)))

    def test_a_plain_handler_that_waits_its_turn_never_runs(self) -> None:
        running = self.sync("host.log('began')\nwhile not host.cancelled: time.sleep(0.01)")
        self.begun()
        waiting = self.sync("seen.append('ran')")
        self.acknowledged(waiting)
        self.runner.cancel(waiting)
        self.runner.cancel(running)
        self.assertEqual(self.runner.answer_to(running), {})
        self.fails(protocol.ERROR_CANCELLED, lambda: self.runner.answer_to(waiting))
        self.assertEqual(self.seen(), [])

    def test_a_running_plain_handler_can_look(self) -> None:
        id = self.sync("host.log('began')\nwhile not host.cancelled: time.sleep(0.01)\nseen.append('looked')")
        self.begun()
        self.runner.cancel(id)
        self.assertEqual(self.runner.answer_to(id), {})
        self.assertEqual(self.seen(), ["looked"])

    def test_a_plain_handler_that_waits_for_the_host_wakes_and_the_host_is_told(self) -> None:
        id = self.sync("host.read_file('x')")
        asked = self.runner.wait_for(lambda message: message.get("method") == "readFile")
        self.runner.cancel(id)
        self.fails(protocol.ERROR_CANCELLED, lambda: self.runner.answer_to(id))
        self.assertEqual(self.runner.notices("cancel"), [{"id": asked["id"]}])
        self.runner.write({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32800, "message": "late"}})
        self.assertEqual(self.seen(), [])

    def test_an_async_one_that_waits_for_the_host_too(self) -> None:
        id = self.command("await host.read_file('x')", "do later")
        asked = self.runner.wait_for(lambda message: message.get("method") == "readFile")
        self.runner.cancel(id)
        self.fails(protocol.ERROR_CANCELLED, lambda: self.runner.answer_to(id))
        self.runner.wait_for(lambda message: message.get("method") == "cancel")
        self.assertEqual(self.runner.notices("cancel"), [{"id": asked["id"]}])


class HostCalls(LifeCase):
    def test_every_service_and_handle_from_plain_code(self) -> None:
        asked = []

        def serve(method: str, result: object) -> None:
            self.runner.services[method] = lambda params: asked.append((method, params)) or result

        for method in ("alert", "notify", "writeFile", "sendMessage", "setModel", "setThinking"):
            serve(method, {})
        serve("readFile", {"text": "content"})
        serve("fetch", {"status": 200, "headers": {"a": "b"}, "text": "body"})
        serve("secret", {"value": "s3"})
        serve("exec", {"stdout": "out", "stderr": "", "code": None})
        self.runner.answer_to(self.command(
            "host.alert('a'); host.notify('n'); host.write_file('f', 't'); handles.send_message('m')\n"
            "c.handles.set_model('p/m'); handles.set_thinking('low'); host.log('l'); host.diagnostic('info', 'd')\n"
            "print(host.read_file('f'), host.fetch('http://x', body='b'), host.secret('ID'), handles.exec('ls'))\n"
            "print(handles.exec('ls', ['a b']).code, handles.render, host.cwd)"
        ))
        self.assertEqual(self.progress(), [
            "content FetchResult(status=200, headers={'a': 'b'}, text='body') s3 "
            "ExecOutcome(stdout='out', stderr='', code=None)",
            "None None /w",
        ])
        self.assertEqual(asked, [
            ("alert", {"text": "a"}), ("notify", {"text": "n"}), ("writeFile", {"path": "f", "text": "t"}),
            ("sendMessage", {"text": "m"}), ("setModel", {"name": "p/m"}), ("setThinking", {"level": "low"}),
            ("readFile", {"path": "f"}), ("fetch", {"url": "http://x", "method": "GET", "body": "b"}),
            ("secret", {"id": "ID"}), ("exec", {"command": "ls"}), ("exec", {"command": "ls", "args": ["a b"]}),
        ])
        self.assertEqual(self.runner.notices("log"), [{"text": "l"}])
        self.assertEqual(self.runner.notices("diagnostic"), [{"severity": "info", "text": "d"}])

    def test_async_code_awaits_them_side_by_side(self) -> None:
        self.runner.services["exec"] = lambda params: {"stdout": params["command"], "stderr": "", "code": 0}
        self.runner.answer_to(self.command(
            "outcomes = await asyncio.gather(*(handles.exec(str(n)) for n in range(20)))\n"
            "print([outcome.stdout for outcome in outcomes] == [str(n) for n in range(20)], host.cwd)", "do later"
        ))
        self.assertEqual(self.progress(), ["True /w"])

    def test_a_thread_of_an_async_handler_waits(self) -> None:
        self.runner.services["readFile"] = lambda params: {"text": "content"}
        self.runner.answer_to(self.command(
            "loop = asyncio.get_running_loop()\nprint(await loop.run_in_executor(None, host.read_file, 'x'))",
            "do later",
        ))
        self.assertEqual(self.progress(), ["content"])

    def test_a_loop_of_the_addons_own_awaits_them_too(self) -> None:
        self.runner.services["readFile"] = lambda params: {"text": "content"}
        self.runner.answer_to(self.command(
            "async def main(): return await asyncio.gather(host.read_file('x'), host.read_file('y'))\n"
            "print(asyncio.run(main()))"
        ))
        self.assertEqual(self.progress(), ["['content', 'content']"])

    def test_what_is_too_long_to_send_is_a_limit(self) -> None:
        self.runner.answer_to(self.command("try: host.log('x' * 9_000_000)\nexcept HostRefused as e: print(e.kind)"))
        self.assertEqual(self.progress(), ["limit"])

    def test_refusals_are_typed(self) -> None:
        """The kinds are those of the TypeScript kit."""
        kinds = {
            -32001: "denied",
            -32002: "unavailable",
            -32003: "limit",
            -32600: "params",
            -32601: "params",
            -32602: "params",
            -32603: "failed",
            -1: "failed",
        }
        for code, kind in kinds.items():

            def refuse(_params: object, code: int = code) -> object:
                raise RpcFailure({"code": code, "message": "the grant is missing"})

            self.runner.services["secret"] = refuse
            for name, wait in (("do", ""), ("do later", "await ")):
                self.runner.answer_to(self.command(
                    f"try: {wait}host.secret('x')\nexcept HostRefused as e: print(e.kind, e.message)", name
                ))
                self.assertEqual(self.progress()[-1], f"{kind} the grant is missing")

    def test_a_refusal_that_nobody_catches_fails_the_call(self) -> None:
        def refuse(_params: object) -> object:
            raise RpcFailure({"code": -32001, "message": "the grant alert is missing"})

        self.runner.services["alert"] = refuse
        failure = self.fails(protocol.ERROR_FAILED, lambda: self.runner.answer_to(self.command("host.alert('x')")))
        self.assertIn("HostRefused: the grant alert is missing", str(failure))

    def test_what_json_cannot_carry_is_refused_before_it_is_sent(self) -> None:
        self.runner.answer_to(self.command("try: host.alert({1})\nexcept HostRefused as e: print(e.kind)"))
        self.assertEqual(self.progress(), ["params"])

    def test_a_plain_handler_that_waits_for_the_host_lets_the_host_ask_it(self) -> None:
        """`exec` makes the host dispatch tool:before to this very addon before it can answer."""
        id = self.sync("seen.append(handles.exec('ls').stdout)")
        asked = self.runner.wait_for(lambda message: message.get("method") == "exec")
        self.assertEqual(self.runner.answer_to(self.sync("seen.append('asked back')")), {})
        self.runner.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"stdout": "out", "stderr": "", "code": 0}})
        self.assertEqual(self.runner.answer_to(id), {})
        self.assertEqual(self.seen(), ["asked back", "out"])


class Tasks(LifeCase):
    def test_tasks_run_until_they_are_told_to_end(self) -> None:
        for task, said in (("plain", ["plain", ["stopped", True]]), ("loop", ["loop", "loop ended"])):
            self.runner.answer_to(self.sync("seen.clear()"))
            id = self.runner.send("task/start", {"id": task})
            self.begun()
            self.runner.received.clear()
            self.fails(protocol.ERROR_REQUEST, lambda: self.runner.ask("task/start", {"id": task}))
            self.assertEqual(self.runner.ask("task/stop", {"id": task}), {})
            self.assertEqual(self.runner.answer_to(id), {})
            self.assertEqual(self.seen(), said)

    def test_a_cancelled_task_is_cancelled(self) -> None:
        id = self.runner.send("task/start", {"id": "loop"})
        self.acknowledged(id)
        self.runner.cancel(id)
        self.fails(protocol.ERROR_CANCELLED, lambda: self.runner.answer_to(id))

    def test_a_task_that_waits_for_the_host_wakes(self) -> None:
        id = self.runner.send("task/start", {"id": "asks"})
        self.runner.wait_for(lambda message: message.get("method") == "readFile")
        self.runner.ask("task/stop", {"id": "asks"})
        self.assertEqual(self.runner.answer_to(id), {})

    def test_stopping_what_does_not_run_is_done_at_once(self) -> None:
        self.assertEqual(self.runner.ask("task/stop", {"id": "plain"}), {})


class Private(LifeCase):
    def test_nothing_that_is_printed_or_started_reaches_the_protocol(self) -> None:
        id = self.command(
            "print('shown'); sys.stdout.write('part'); sys.stdout.buffer.write(b'bytes')\n"
            "os.write(1, b'to descriptor 1\\n')\n"
            "subprocess.run(['echo', 'from a child']); subprocess.run(['echo', 'redirected'], stdout=sys.stdout)\n"
            "sys.__stdout__.write('the old stdout'); sys.__stdout__.flush()\n"
            "threading.Thread(target=print, args=('of a thread',)).start()\n"
            "print(sys.stdin.read() == '', subprocess.run(['cat'], capture_output=True).stdout)"
        )
        self.assertEqual(self.runner.answer_to(id), {})
        self.assertEqual(self.progress(), ["shown", "partbytesTrue b''"])
        self.assertIn({"text": "of a thread"}, self.runner.notices("log"))
        self.runner.end()
        for text in (b"to descriptor 1\n", b"from a child\n", b"redirected\n", b"the old stdout"):
            self.assertIn(text, self.runner.stderr)

    def test_what_is_printed_after_a_command_has_ended_is_logged(self) -> None:
        self.runner.answer_to(self.command(
            "import contextvars\ncontext = contextvars.copy_context()\n"
            "threading.Timer(0.2, context.run, (print, 'late')).start(); print('early')"
        ))
        self.runner.wait_for(lambda message: message.get("method") == "log" and message["params"]["text"] == "late")
        self.assertEqual(self.progress(), ["early"])

    def test_twin_with_descriptors_0_and_1_a_program_that_it_starts_writes_into_the_protocol(self) -> None:
        unguarded = (
            f"import sys; sys.path.insert(0, {KIT!r});"
            "from induscode.addons.process.addon_process import AddonProcess;"
            "from induscode.addons.process.pipe import Pipe; AddonProcess(sys.argv[1], Pipe(0, 1)).run()"
        )
        self.runner = Runner(self.write_file("twin.py", HANDLERS), unguarded)
        self.addCleanup(self.runner.end)
        self.runner.describe()
        self.runner.answer_to(self.command("subprocess.run(['echo', 'from a child'])"))
        self.assertEqual(self.runner.notices("no message"), [b"from a child"])

    def test_a_forked_child_cannot_write_messages(self) -> None:
        id = self.command(
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try: print('from the child'); host.log('from the child')\n"
            "    except BaseException as error: print(type(error).__name__, file=sys.stderr)\n"
            "    finally: os._exit(0)\n"
            "os.waitpid(child, 0); print('parent')"
        )
        self.assertEqual(self.runner.answer_to(id), {})
        self.assertEqual((self.progress(), self.runner.notices("log")), (["parent"], []))
        self.runner.end()
        self.assertIn(b"from the child\nOSError", self.runner.stderr)

    def test_a_program_that_it_starts_has_no_descriptor_of_the_protocol(self) -> None:
        self.runner.answer_to(self.command(
            "told = subprocess.run([sys.executable, '-c', 'import os; print(sorted(os.listdir(\"/proc/self/fd\")))'], "
            "close_fds=False, capture_output=True, text=True)\nprint(told.stdout.strip())"
        ))
        # 3 is the listing itself.
        self.assertEqual(self.progress(), ["['0', '1', '2', '3']"])

    def test_a_flood_of_lines_is_gathered(self) -> None:
        id = self.command("for n in range(20000): print(n)")
        self.runner.answer_to(id)
        sent = self.progress()
        self.assertLess(len(sent), 3_000)
        self.assertEqual("\n".join(sent).split("\n"), [str(n) for n in range(20000)])


class Ending(LifeCase):
    def ends_by_itself(self, expects_answer: bool) -> None:
        if expects_answer:
            self.assertEqual(self.runner.ask("dispose", {}), {})
        else:
            self.runner.process.stdin.close()
        self.assertEqual(self.runner.process.wait(30), 0)

    def test_dispose_and_the_end_of_the_pipe_end_an_idle_process(self) -> None:
        self.ends_by_itself(True)
        self.runner = self.run_addon(HANDLERS)
        self.ends_by_itself(False)

    def test_they_end_a_process_whose_code_hangs(self) -> None:
        for number, call in enumerate((
            lambda: self.sync("while True: pass"),
            lambda: self.sync("time.sleep(60)"),
            lambda: self.later(seconds=60),
            lambda: self.command("time.sleep(60)", "do later"),
            lambda: self.command("threading.Thread(target=time.sleep, args=(60,)).start()"),
            lambda: self.command("import atexit; atexit.register(time.sleep, 60)"),
            lambda: self.runner.send("task/start", {"id": "plain"}),
            lambda: self.sync("host.read_file('x')"),
        )):
            self.runner = self.run_addon(HANDLERS)
            self.acknowledged(call())
            time.sleep(0.05)
            self.ends_by_itself(expects_answer=number % 2 == 0)

    def test_exit_handlers_and_finally_blocks_run(self) -> None:
        mark = os.path.join(self.folder, "mark")
        self.runner.answer_to(self.sync(f"import atexit; atexit.register(lambda: open({mark!r}, 'a').write('exit'))"))
        ending = f"open({mark!r}, 'a').write('finally ')"
        self.command(f"try: host.log('began'); await asyncio.sleep(60)\nfinally: {ending}", "do later")
        self.begun()
        self.ends_by_itself(True)
        with open(mark, encoding="utf-8") as file:
            self.assertEqual(file.read(), "finally exit")

    def test_without_a_reader_it_ends(self) -> None:
        entry = self.write_file("quiet.py", HANDLERS)
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", START, entry], stdin=subprocess.PIPE, stdout=writing
        )
        self.addCleanup(process.stdin.close)
        os.close(writing)
        os.close(reading)
        process.stdin.write(b"no message\n")
        process.stdin.flush()
        self.assertEqual(process.wait(5), 0)


if __name__ == "__main__":
    unittest.main()
