import os
import time
import unittest

from induscode.addons import _protocol as protocol
from induscode.addons.process.printed_lines import MAX_MESSAGES_PER_SECOND
from runner_client import KIT, RunnerCase

EXAMPLE = os.path.join(KIT, "..", "..", "..", "examples", "addons", "redact.py")

EVERYTHING = '''
from induscode.addons import *
id = "everything"
version = "2.0"
def register(surface):
    surface.on("turn:end", ObserveHandler(lambda p: p.clear()))
    surface.on("input:submit", TransformHandler(change))
    surface.on("tool:before", GateHandler(decide, on_failure="block"))
    surface.intercept_tool("*", InterceptorStage(enter=enter, exit=leave))
    surface.intercept_tool("read", InterceptorStage(exit=lambda c: None))
    surface.add_command("greet", CommandSpec("Greets.", greet, argument_hint="[name]"))
    surface.add_tool(AgentTool("count", "Counts words.", {"type": "object"}, count))
    surface.add_task("watch", "Watches.", lambda c: None, activation="onDemand", restart="onFailure", grace_ms=7)
def change(p):
    if p["text"] == "none": return None
    if p["text"] == "same": return p
    if p["text"] == "in place": p["text"] = "changed"; return p
    if p["text"] == "wrong": return 7
    return {**p, "text": p["text"].upper()}
def decide(p):
    return {"decision": GateDecision(True, "no"), "mapping": {"stop": 1}, "pass": GateDecision(False), "none": None,
            "wrong": "stop"}[p["name"]]
def enter(c):
    assert (c.tool, c.call_id) == ("read", "c1"), c
    return {"rewrite": ArgsRewrite({"x": 1}), "mapping": {"args": [2]}, "stop": GateDecision(True, "no"),
            "none": None}[c.args]
def leave(c):
    if c.args == "recover": return AgentToolResult(f"{c.error}: {c.result.text}")
    if c.args == "mapping": return {"content": ["a", {"kind": "json", "value": 1}], "isError": True}
    if c.args == "wrong": return 7
    assert c.error is None and c.result.is_error is False
def greet(c):
    print("hello", c.args, "at", c.cwd)
def count(args):
    if "fail" in args: raise ValueError("no words")
    return args["give"] if "give" in args else f"{len(args['text'].split())} words"
'''


class Describing(RunnerCase):
    def test_the_example_runs(self) -> None:
        runner = self.start_file(EXAMPLE)
        self.assertEqual(
            runner.describe(),
            {
                "protocol": 1,
                "id": "redact",
                "version": "1.0.0",
                "handlers": [
                    {"event": "turn:end", "kind": "observe"},
                    {"event": "tool:after", "kind": "transform"},
                ],
                "interceptors": [{"match": "shell", "enter": True, "exit": False}],
                "commands": [{"name": "redacted", "summary": "how many addresses were hidden or stopped"}],
                "tools": [],
                "tasks": [],
            },
        )
        call = {"name": "bash", "callId": "1", "args": {}, "text": "by ada@example.org", "isError": False}
        after = runner.ask("event", {"handler": 1, "event": "tool:after", "payload": call})
        self.assertEqual(after["payload"]["text"], "by (an address)")
        entering = {"interceptor": 0, "tool": "bash", "callId": "2"}
        self.assertEqual(runner.ask("enter", {**entering, "args": {"command": "ls"}}), {})
        blocked = runner.ask("enter", {**entering, "args": {"command": "mail ada@example.org"}})
        self.assertEqual(blocked, {"stop": True, "reason": "it names an e-mail address"})
        counts = str({"hidden": 1, "stopped": 1})
        ended = {"handler": 0, "event": "turn:end", "payload": {"sessionId": "s"}}
        self.assertEqual(runner.ask("event", ended), {})
        self.assertEqual(runner.notices("log"), [{"text": f"so far {counts}"}])
        asked = runner.send("command", {"name": "redacted", "args": "", "cwd": "/here"})
        self.assertEqual(runner.answer_to(asked), {})
        self.assertEqual(runner.notices("progress"), [{"id": asked, "text": counts}])
        self.assertEqual((runner.end(), runner.stderr), (0, b""))

    def test_the_registration_says_everything(self) -> None:
        self.assertEqual(
            self.start(EVERYTHING).describe(),
            {
                "protocol": 1,
                "id": "everything",
                "version": "2.0",
                "handlers": [
                    {"event": "turn:end", "kind": "observe"},
                    {"event": "input:submit", "kind": "transform"},
                    {"event": "tool:before", "kind": "gate", "onFailure": "block"},
                ],
                "interceptors": [
                    {"match": "*", "enter": True, "exit": True},
                    {"match": "read", "enter": False, "exit": True},
                ],
                "commands": [{"name": "greet", "summary": "Greets.", "argumentHint": "[name]"}],
                "tools": [{"name": "count", "description": "Counts words.", "parameters": {"type": "object"}}],
                "tasks": [
                    {
                        "id": "watch",
                        "description": "Watches.",
                        "activation": "onDemand",
                        "restart": "onFailure",
                        "graceMs": 7,
                    }
                ],
            },
        )

    def test_a_package_with_an_async_register_and_the_derived_id(self) -> None:
        self.write_file("kit/words.py", "NAME = 'later'\n")
        entry = self.write_file(
            "kit/__init__.py",
            "import asyncio\nfrom .words import NAME\nfrom induscode.addons import CommandSpec\n"
            "async def register(surface):\n    await asyncio.sleep(0)\n"
            "    surface.add_command(NAME, CommandSpec(surface.id, print))\n",
        )
        for path in (entry, os.path.dirname(entry)):
            answer = self.start_file(path).describe()
            self.assertEqual(answer["commands"], [{"name": "later", "summary": "derived"}])
            self.assertNotIn("id", answer)

    def test_what_fails_at_load_says_where(self) -> None:
        for text, says in (
            ("x = 1\nimport nothing_of_this_name\n", "load: ModuleNotFoundError: .*(sample.py, line 2)"),
            ("def register(\n", "load: SyntaxError: .*(sample.py, line 1)"),
            ("x = 1\n", r"load: TypeError: .*expected a function register\(surface\)"),
            ("import sys\nsys.exit(3)\n", r"load: it called sys.exit\(3\).*\(sample.py, line 2\)"),
            ("def f():\n    raise KeyError('k')\nf()\n", r"load: KeyError: 'k' \(sample.py, line 2\)"),
        ):
            runner = self.start(text)
            failure = self.fails(protocol.ERROR_FAILED, runner.describe)
            self.assertRegex(str(failure), says)
            self.assertEqual(failure.data, {"kind": "load"})

    def test_what_fails_at_register_says_where(self) -> None:
        for text, says in (
            ("def register(surface):\n    1 / 0\n", r"register: ZeroDivisionError: .*\(sample.py, line 2\)"),
            ("async def register(surface):\n    1 / 0\n", r"register: ZeroDivisionError: .*\(sample.py, line 2\)"),
            ("def register():\n    pass\n", "register: TypeError"),
            ("def register(surface):\n    raise SystemExit\n", "register: it called sys.exit"),
        ):
            runner = self.start(text)
            failure = self.fails(protocol.ERROR_FAILED, runner.describe)
            self.assertRegex(str(failure), says)
            self.assertEqual(failure.data, {"kind": "register"})

    def test_what_does_not_fit_is_left_out_alone(self) -> None:
        good = "surface.add_command('go', CommandSpec('s', print))"
        tool = "surface.add_tool(AgentTool('t', 'd', {}, print))"
        for call, kind, name, says in (
            ("surface.on('tool:befor', print)", "hook", "tool:befor", r"did you mean 'tool:before'\? \(sample.py, line 5\)"),
            ("surface.on('tool:before', GateHandler(print, 'blok'))", "hook", "tool:before", "found 'blok'"),
            ("surface.intercept_tool('bash', print)", "hook", "intercept:bash", "expected an InterceptorStage"),
            ("surface.add_command('c', print)", "command", "c", "expected a CommandSpec"),
            ("surface.add_command('c', CommandSpec(b's', print))", "command", "c", "bytes is not JSON serializable"),
            ("surface.add_task('', 'd', print)", "task", "without a name", "must be a non-empty string"),
            (tool.format("7"), "tool", "t", "it cannot be sent: TypeError"),
            (tool.format("holds_itself"), "tool", "t", "it cannot be sent: .*Circular reference"),
            (tool.format("{'x': float('nan')}"), "tool", "t", "it cannot be sent: "),
            (tool.format("{'x': print}"), "tool", "t", "it cannot be sent: .*not JSON serializable"),
            (tool.format("deep"), "tool", "t", "nested more than 190 levels deep"),
            (tool.format("{'x': [{}] * 90000}"), "tool", "t", "too large for one message"),
        ):
            runner = self.start(
                "from induscode.addons import *\nholds_itself = {}\nholds_itself['x'] = holds_itself\n"
                f"def register(surface):\n    {call}\n    {good}\n"
                "deep = {}\nfor _ in range(195):\n    deep = {'x': deep}\n"
            )
            answer = runner.describe()
            self.assertEqual([each["name"] for each in answer["commands"]], ["go"])
            (skipped,) = answer["skipped"]
            self.assertEqual((skipped["kind"], skipped["name"]), (kind, name))
            self.assertRegex(skipped["reason"], says)

    def test_the_traceback_is_logged(self) -> None:
        runner = self.start("def register(surface):\n    1 / 0\n")
        self.fails(protocol.ERROR_FAILED, runner.describe)
        self.assertIn("Traceback", runner.notices("log")[0]["text"])

    def test_another_protocol_is_refused_by_name(self) -> None:
        runner = self.start("def register(surface): pass\n")
        failure = self.fails(protocol.ERROR_PARAMS, lambda: runner.describe(protocol={"min": 99, "max": 99}))
        self.assertIn("the host speaks protocol 99 to 99, this Python kit speaks 1", str(failure))
        self.assertIsNone(failure.data)

    def test_describe_comes_first_and_once(self) -> None:
        runner = self.start("def register(surface): pass\n")
        call = {"name": "x", "callId": "1", "args": {}, "cwd": "/"}
        self.fails(protocol.ERROR_REQUEST, lambda: runner.ask("tool", call))
        runner.describe()
        self.fails(protocol.ERROR_REQUEST, runner.describe)

    def test_what_it_prints_while_it_registers_is_logged(self) -> None:
        runner = self.run_addon("print('loading')\ndef register(surface): print('registering')\n")
        self.assertEqual(runner.notices("log"), [{"text": "loading"}, {"text": "registering"}])


class Calling(RunnerCase):
    def setUp(self) -> None:
        super().setUp()
        self.runner = self.shared_addon(EVERYTHING)

    def event(self, handler: int, event: str, payload: object) -> object:
        return self.runner.ask("event", {"handler": handler, "event": event, "payload": payload})

    def stage(self, half: str, args: object, **more: object) -> object:
        return self.runner.ask(half, {"interceptor": 0, "tool": "read", "callId": "c1", "args": args, **more})

    def tool(self, **args: object) -> object:
        return self.runner.ask("tool", {"name": "count", "callId": "c1", "args": args, "cwd": "/"})

    def test_every_request_is_acknowledged(self) -> None:
        id = self.runner.send("event", {"handler": 0, "event": "turn:end", "payload": {}})
        self.runner.answer_to(id)
        self.assertEqual(self.runner.notices("ack"), [{"id": id}])

    def test_observers_answer_nothing(self) -> None:
        self.assertEqual(self.event(0, "turn:end", {"sessionId": "s"}), {})

    def test_transforms_answer_the_payload_that_goes_on(self) -> None:
        for text, answer in (
            ("up", {"payload": {"text": "UP", "n": 1.0}}),
            ("same", {}),
            ("none", {}),
            ("in place", {"payload": {"text": "changed", "n": 1.0}}),
        ):
            self.assertEqual(self.event(1, "input:submit", {"text": text, "n": 1.0}), answer, text)
        failure = self.fails(protocol.ERROR_FAILED, lambda: self.event(1, "input:submit", {"text": "wrong"}))
        self.assertIn("expected a transform to return the payload, found int", str(failure))

    def test_a_transform_that_returns_none_is_told_once(self) -> None:
        self.runner = self.run_addon(EVERYTHING)
        for _ in range(3):
            self.event(1, "input:submit", {"text": "none"})
        told = [params["text"] for params in self.runner.notices("log")]
        self.assertEqual(len(told), 1)
        self.assertIn("the transform of input:submit returned None, which counts as no change", told[0])

    def test_gates_answer_their_decision(self) -> None:
        for name, answer in (
            ("decision", {"stop": True, "reason": "no"}),
            ("mapping", {"stop": True}),
            ("pass", {"stop": False}),
            ("none", {}),
        ):
            self.assertEqual(self.event(2, "tool:before", {"name": name}), answer)
        failure = self.fails(protocol.ERROR_FAILED, lambda: self.event(2, "tool:before", {"name": "wrong"}))
        self.assertIn("expected a GateDecision", str(failure))

    def test_enter_stages(self) -> None:
        for args, answer in (
            ("rewrite", {"args": {"x": 1}}),
            ("mapping", {"args": [2]}),
            ("stop", {"stop": True, "reason": "no"}),
            ("none", {}),
        ):
            self.assertEqual(self.stage("enter", args), answer)

    def test_exit_stages(self) -> None:
        result = {"content": [{"kind": "text", "text": "was"}], "isError": False}
        self.assertEqual(self.stage("exit", "leave", result=result), {})
        failed = {"content": [{"kind": "text", "text": "was"}], "isError": True}
        recovered = self.stage("exit", "recover", result=failed, error="it failed")
        said = [{"kind": "text", "text": "it failed: was"}]
        self.assertEqual(recovered, {"result": {"content": said, "isError": False}})
        blocks = [{"kind": "text", "text": "a"}, {"kind": "json", "value": 1}]
        self.assertEqual(self.stage("exit", "mapping", result=result), {"result": {"content": blocks, "isError": True}})
        self.fails(protocol.ERROR_FAILED, lambda: self.stage("exit", "wrong", result=result))

    def test_tools(self) -> None:
        def said(text: str, is_error: bool = False) -> object:
            return {"content": [{"kind": "text", "text": text}], "isError": is_error}

        self.assertEqual(self.tool(text="a b c"), said("3 words"))
        self.assertEqual(self.tool(give=None), {"content": [], "isError": False})
        self.assertEqual(self.tool(give={"content": "x", "is_error": True}), said("x", True))
        self.assertRegex(str(self.fails(protocol.ERROR_FAILED, lambda: self.tool(fail=1))),
                         r"^ValueError: no words \(sample.py, line \d+\)$")
        self.fails(protocol.ERROR_FAILED, lambda: self.tool(give=7))

    def test_a_command_speaks_to_the_person(self) -> None:
        id = self.runner.send("command", {"name": "greet", "args": "you", "cwd": "/w"})
        self.assertEqual(self.runner.answer_to(id), {})
        self.assertEqual(self.runner.notices("progress"), [{"id": id, "text": "hello you at /w"}])

    def test_parameters_that_do_not_fit_are_refused_and_the_next_call_works(self) -> None:
        enter = {"interceptor": 0, "tool": "read", "callId": "c1", "args": 1}
        for method, params, says in (
            ("event", {}, "event: expected handler to be int, found nothing"),
            ("event", {"handler": True, "event": "turn:end", "payload": {}}, "found bool"),
            ("event", {"handler": 3, "event": "turn:end", "payload": {}}, "an index below 3, found 3"),
            ("event", {"handler": -1, "event": "turn:end", "payload": {}}, "found -1"),
            ("event", {"handler": 0, "event": "turn:start", "payload": {}}, "found one of turn:end"),
            ("event", {"handler": 0, "event": "turn:end", "payload": []}, "payload to be dict, found list"),
            ("enter", {**enter, "interceptor": 1}, "interceptor 1 to have an enter stage"),
            ("enter", {**enter, "tool": 1}, "tool to be str"),
            ("exit", enter, "result to be dict, found nothing"),
            ("tool", {"name": "count"}, "expected args, found nothing"),
            ("tool", {"name": "nope", "args": {}}, r"a tool of this addon \(count\), found 'nope'"),
            ("command", {"name": "greet", "args": 1, "cwd": "/"}, "args to be str"),
            ("command", {"Name": "greet"}, "name to be str, found nothing"),
            ("task/start", {"id": "nope"}, "a task of this addon"),
        ):
            failure = self.fails(protocol.ERROR_PARAMS, lambda: self.runner.ask(method, params))
            self.assertRegex(str(failure), says)
        self.assertEqual(self.event(0, "turn:end", {}), {})

    def test_answers_that_the_host_would_cut_off_are_errors(self) -> None:
        deep = 0
        for _ in range(195):
            deep = [deep]
        # The answer, its result, the content and the block are four levels around the value.
        give = {"content": {"kind": "json", "value": deep}}
        self.assertEqual(self.tool(give=give)["content"][0]["value"], deep)
        give["content"]["value"] = [[deep]]
        self.fails(protocol.ERROR_LIMIT, lambda: self.tool(give=give))


class SameName(RunnerCase):
    def test_of_two_with_one_name_the_first_answers(self) -> None:
        runner = self.shared_addon(
            "from induscode.addons import *\n"
            "def register(surface):\n"
            "    for text in ('first', 'second'):\n"
            "        surface.add_tool(AgentTool('t', text, {'type': 'object'}, lambda args, text=text: text))\n"
        )
        answer = runner.ask("tool", {"name": "t", "callId": "c1", "args": {}, "cwd": "/"})
        self.assertEqual(answer, {"content": [{"kind": "text", "text": "first"}], "isError": False})


class Failing(RunnerCase):
    def test_handlers_that_fail_in_any_way_are_errors_and_the_process_lives(self) -> None:
        runner = self.run_addon(
            "import sys, os\nfrom induscode.addons import *\n"
            "def deep(): return deep()\n"
            "def run(p):\n"
            "    exec(p['do'], {**globals(), 'p': p})\n"
            "async def later(p): run(p)\n"
            "def register(surface):\n"
            "    surface.on('turn:end', ObserveHandler(run))\n"
            "    surface.on('turn:end', ObserveHandler(later))\n"
        )
        for handler in (0, 1):
            for do, says in (
                ("raise ValueError('boom')", r"ValueError: boom \(sample.py, line 5\)"),
                ("sys.exit(4)", r"it called sys.exit\(4\)"),
                ("raise KeyboardInterrupt", "KeyboardInterrupt"),
                ("deep()", "RecursionError"),
                ("raise MemoryError", "MemoryError"),
                ("class E(BaseException): pass\nraise E('odd')", "E: odd"),
            ):
                if handler == 1 and "BaseException" in do:
                    continue
                params = {"handler": handler, "event": "turn:end", "payload": {"do": do}}
                self.assertRegex(str(self.fails(protocol.ERROR_FAILED, lambda: runner.ask("event", params))), says)
            ok = runner.ask("event", {"handler": handler, "event": "turn:end", "payload": {"do": "1"}})
            self.assertEqual(ok, {})
        self.assertIsNone(runner.process.poll())

    def test_thousands_of_faults_do_not_flood_the_host(self) -> None:
        runner = self.run_addon(
            "from induscode.addons import *\n"
            "def register(surface): surface.on('turn:end', ObserveHandler(lambda p: 1 / 0))\n"
        )
        params = {"handler": 0, "event": "turn:end", "payload": {}}
        began = time.monotonic()
        logged = 0
        for _ in range(15):
            ids = [runner.send("event", params) for _ in range(100)]
            for id in ids:
                self.fails(protocol.ERROR_FAILED, lambda: runner.answer_to(id))
            logged += len(runner.notices("log"))
            runner.received.clear()
        seconds = time.monotonic() - began
        self.assertLess(logged, (seconds + 2) * (MAX_MESSAGES_PER_SECOND + 10))


class Protocol(RunnerCase):
    def test_lines_that_are_no_message_are_answered_and_survived(self) -> None:
        runner = self.start("def register(surface): pass\n")
        for line, code, id in (
            (b"hello", protocol.ERROR_PARSE, None),
            (b"\xff\xfe{}", protocol.ERROR_PARSE, None),
            (b"[" * 200_000, protocol.ERROR_PARSE, None),
            (b'{"jsonrpc":"2.0","id":NaN,"method":"describe"}', protocol.ERROR_PARSE, None),
            (b"[]", protocol.ERROR_REQUEST, None),
            (b'[{"jsonrpc":"2.0","id":1,"method":"dispose","params":{}}]', protocol.ERROR_REQUEST, None),
            (b"7", protocol.ERROR_REQUEST, None),
            (b'{"id":"a","method":"describe"}', protocol.ERROR_REQUEST, "a"),
            (b'{"jsonrpc":"2.0","id":"b","Method":"describe"}', protocol.ERROR_REQUEST, "b"),
            (b'{"jsonrpc":"2.0","id":true,"method":"describe"}', protocol.ERROR_REQUEST, None),
            (b'{"jsonrpc":"2.0","id":1.5,"method":"describe"}', protocol.ERROR_REQUEST, None),
            (b'{"jsonrpc":"2.0","id":"c","method":"describe","params":[]}', protocol.ERROR_PARAMS, "c"),
            (b'{"jsonrpc":"2.0","id":"d","method":"nope"}', protocol.ERROR_METHOD, "d"),
            (b'{"jsonrpc":"2.0","id":"e","method":"ack","params":{}}', protocol.ERROR_METHOD, "e"),
        ):
            runner.received.clear()
            runner.write_line(line)
            self.fails(code, lambda: runner.answer_to(id))
        self.assertEqual(runner.describe()["protocol"], 1)

    def test_what_asks_for_no_answer_gets_none(self) -> None:
        runner = self.start("def register(surface): pass\n")
        for line in (
            b"",
            b"  \r",
            b'{"jsonrpc":"2.0","method":"nope"}',
            b'{"jsonrpc":"2.0","method":"cancel","params":{"id":9}}',
            b'{"jsonrpc":"2.0","method":"cancel","params":{"id":[]}}',
            b'{"jsonrpc":"2.0","id":5,"result":{}}',
        ):
            runner.write_line(line)
        runner.describe()
        self.assertEqual([message for message in runner.received if "method" not in message], [runner.received[-1]])
        said = "the host answered 5, which is not an open request"
        self.assertEqual(runner.notices("log"), [{"text": said}])

    def test_a_line_beyond_the_longest_is_skipped_and_answered(self) -> None:
        runner = self.start("def register(surface): pass\n")
        runner.write_line(b"x" * (8 * 1024 * 1024 + 1))
        failure = self.fails(protocol.ERROR_PARSE, lambda: runner.answer_to(None))
        self.assertIn("expected a shorter line", str(failure))
        self.assertEqual(runner.describe()["protocol"], 1)

    def test_large_and_odd_texts_pass_both_ways(self) -> None:
        runner = self.run_addon(
            "from induscode.addons import *\n"
            "def register(surface): surface.on('input:submit', TransformHandler(lambda p: dict(p)))\n"
        )
        for text in ("\u2028\u2029\U0001f600\x00\r\n\"\\", "ü" * 1_000_000, "\ufeff", "__proto__"):
            payload = {"text": text, "__proto__": {"x": 1}}
            answer = runner.ask("event", {"handler": 0, "event": "input:submit", "payload": payload})
            self.assertEqual(answer, {"payload": payload})

    def test_a_message_cut_at_every_byte_is_the_same_message(self) -> None:
        runner = self.start("def register(surface): pass\n")
        line = b'{"jsonrpc":"2.0","id":"\xc3\xbc","method":"nope","params":{}}\r\n'
        for byte in range(len(line)):
            os.write(runner.process.stdin.fileno(), line[byte : byte + 1])
        self.fails(protocol.ERROR_METHOD, lambda: runner.answer_to("ü"))

    def test_an_id_that_runs_cannot_be_used_again(self) -> None:
        runner = self.run_addon(
            "import time\nfrom induscode.addons import *\n"
            "def register(surface): surface.on('turn:end', ObserveHandler(lambda p: time.sleep(0.3)))\n"
        )
        message = {"jsonrpc": "2.0", "id": "x", "method": "event",
                   "params": {"handler": 0, "event": "turn:end", "payload": {}}}
        runner.write(message)
        runner.write(message)
        self.fails(protocol.ERROR_REQUEST, lambda: runner.answer_to("x"))
        runner.received.clear()
        self.assertEqual(runner.answer_to("x"), {})


if __name__ == "__main__":
    unittest.main()
