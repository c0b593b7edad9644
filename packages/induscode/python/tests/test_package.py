import ast
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import induscode
import induscode.addons as addons
from induscode.addons import _messages as messages
from induscode.addons import _protocol as protocol
from induscode.addons.process import wire

KIT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = glob.glob(os.path.join(KIT, "**", "*.py"), recursive=True)

# The public surface, row by row.
PUBLIC = """
create_addon_host AddonHost AddonRegistry AddonSurfaceBundle AddonSurface RecordingSurface create_surface AddonManifest
RegisteredManifest empty_manifest ModuleLoader create_module_loader scrub_invisible expand_path resolve_path
discover_addons discover_sources AddonDiscovery AddonSource ADDONS_DIR AddonEventDispatcher subscription EVENT_TRAITS
RESERVED_EVENTS EventTrait AddonInterceptorChain interceptor HookEvent HookKind HookHandler ObserveHandler
TransformHandler GateHandler GateDecision DispatchOutcome EventSubscription ToolInterceptor InterceptorStage
ToolEnterContext ToolExitContext ArgsRewrite InterceptResult AddonCommand CommandSpec CommandContext FrameworkHandles
ExecOutcome AddonTool AddonId addon_id AddonFault AddonFaultKind AddonFaultListener addon_fault BUNDLED_NAMESPACES
Schema AgentTool AgentToolResult ThinkingLevel AgentMessage Model Component KeyId
""".split()

LAYOUT = "contract loader manifest surface dispatch.event_dispatcher dispatch.tool_interceptor host".split()


class Package(unittest.TestCase):
    def test_the_barrel_has_every_public_name(self) -> None:
        self.assertEqual([name for name in PUBLIC if name not in addons.__all__ or not hasattr(addons, name)], [])
        self.assertEqual(sorted(set(addons.__all__)), sorted(addons.__all__))

    def test_the_layout_is_the_seeds(self) -> None:
        for name in LAYOUT:
            __import__(f"induscode.addons.{name}")
        self.assertIs(addons.AddonTool, addons.AgentTool)
        from induscode.addons.contract import ENTRY_EXTENSIONS

        self.assertEqual(ENTRY_EXTENSIONS, (".py",))

    def test_the_frameworks_names_are_where_seed_002_imports_them_from(self) -> None:
        from indusagi.agent import AgentTool, AgentToolResult, ThinkingLevel
        from indusagi.ai import AgentMessage, Model
        from indusagi.tui import Component, KeyId

        for name, found in list(locals().items()):
            if name != "self":
                self.assertIs(found, getattr(addons, name))

    def test_the_submodule_is_lazy(self) -> None:
        code = (
            f"import sys; sys.path.insert(0, {KIT!r}); import induscode; before = 'induscode.addons' in sys.modules;"
            "print(before, induscode.addons.ADDONS_DIR, 'addons' in dir(induscode))"
        )
        told = subprocess.run([sys.executable, "-I", "-B", "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout, "False .indus/addons True\n")
        with self.assertRaisesRegex(AttributeError, "no attribute 'nope'"):
            getattr(induscode, "nope")

    def test_nothing_outside_the_standard_library_is_imported(self) -> None:
        code = (
            f"import sys; sys.path.insert(0, {KIT!r}); before = set(sys.modules); import induscode.addons.runner;"
            "new = {name: str(getattr(sys.modules[name], '__file__', '')) for name in set(sys.modules) - before};"
            "print([name for name in new if 'site-packages' in new[name]], 'asyncio' in new)"
        )
        told = subprocess.run([sys.executable, "-I", "-B", "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(told.stdout, "[] False\n")


class Types(unittest.TestCase):
    def test_what_a_message_must_have_and_may_have_is_told_apart(self) -> None:
        self.assertEqual(messages.CommandCard.__required_keys__, {"name", "summary"})
        self.assertEqual(messages.CommandCard.__optional_keys__, {"argumentHint"})
        self.assertEqual(messages.EnterResult.__required_keys__, frozenset())

    def test_nothing_that_runs_loads_the_types(self) -> None:
        code = f"import sys; sys.path.insert(0, {KIT!r}); import induscode.addons.runner; print(*sys.modules)"
        told = subprocess.run([sys.executable, "-I", "-B", "-c", code], capture_output=True, text=True, check=True)
        self.assertIn("induscode.addons._protocol", told.stdout.split())
        self.assertNotIn("induscode.addons._messages", told.stdout.split())

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    def test_the_kit_holds_its_types(self) -> None:
        # The second run begins with what the first one found.
        found = tempfile.TemporaryDirectory()
        self.addCleanup(found.cleanup)
        command = ["mypy", "--cache-dir", found.name]
        wrong = "from induscode.addons._messages import CommandCard\ncard: CommandCard = {'name': 'x'}\n"
        told = subprocess.run([*command, "-p", "induscode", "-p", "indus_sdk"], cwd=KIT, capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (0, ""), told.stdout)
        twin = subprocess.run([*command, "-c", wrong], cwd=KIT, capture_output=True, text=True)
        self.assertIn('Missing key "summary"', twin.stdout)


class OldestPython(unittest.TestCase):
    def test_every_source_is_python_3_9(self) -> None:
        self.assertGreater(len(SOURCES), 30)
        for path in SOURCES:
            with open(path, encoding="utf-8") as file:
                self.assertEqual(newer_than_3_9(file.read()), [], path)

    def test_newer_syntax_would_be_seen(self) -> None:
        for text, found in (
            ("match x:\n    case 1: pass\n", ["syntax"]),
            ("def f(x: int | None): ...\n", ["X | Y"]),
            ("x: 'int | str' = 1\n", ["X | Y"]),
            ("@dataclass(frozen=True, slots=True)\nclass A: ...\n", ["slots"]),
            ("try: f()\nexcept* ValueError: ...\n", ["syntax"]),
            ("x = {1} | {2}\n", []),
        ):
            self.assertEqual(newer_than_3_9(text), found, text)


class Wire(unittest.TestCase):
    def test_what_json_has_no_text_for_is_refused(self) -> None:
        circle: list = []
        circle.append(circle)
        for value in (float("nan"), {1, 2}, circle, {(1,): 2}, object()):
            with self.assertRaises(wire.RpcProblem) as raised:
                wire.encode({"x": value})
            self.assertEqual(raised.exception.code, protocol.ERROR_FAILED)
            self.assertIn("JSON can represent", raised.exception.message)

    def test_what_the_host_would_cut_off_is_refused_here(self) -> None:
        deep: object = 0
        for _ in range(wire.MAX_DEPTH):
            deep = [deep]
        self.assertEqual(len(wire.encode({"x": [[]] * 500})), len('{"x":[' + "[]," * 499 + "[]]}") + 1)
        for value in (deep, "x" * wire.MAX_FRAME_BYTES):
            with self.assertRaises(wire.RpcProblem) as raised:
                wire.encode({"x": value})
            self.assertEqual(raised.exception.code, protocol.ERROR_LIMIT)

    def test_the_deepest_message_that_the_host_takes_passes(self) -> None:
        deep: object = 0
        for _ in range(wire.MAX_DEPTH - 1):
            deep = [deep]
        self.assertEqual(wire.decode(wire.encode({"x": deep})), {"x": deep})

    def test_any_text_survives_on_one_line_of_ascii(self) -> None:
        text = "grün \u2028 \n \x00 \U0001f600 \ud800"
        line = wire.encode({"x": text})
        self.assertEqual((line.count(b"\n"), line.isascii(), wire.decode(line)), (1, True, {"x": text}))

    def test_what_is_no_json_is_refused(self) -> None:
        for line in (b"{", b"\xff", b"NaN", b"[Infinity]", b"", b"[" * 100_000, b'{"a":1}x'):
            with self.assertRaises(wire.RpcProblem) as raised:
                wire.decode(line)
            self.assertEqual(raised.exception.code, protocol.ERROR_PARSE)
            self.assertLess(len(raised.exception.message), 400)


def newer_than_3_9(text: str) -> list:
    """What of a source an interpreter of version 3.9 would not run."""
    try:
        tree = ast.parse(text, feature_version=(3, 9))
    except SyntaxError:
        return ["syntax"]
    # The older parsers ignore feature_version for these two.
    found = ["syntax"] if any(type(node).__name__ in ("Match", "TryStar") for node in ast.walk(tree)) else []
    for node in ast.walk(tree):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if annotation is not None and re.search(r"\|", ast.unparse(annotation)):
                found.append("X | Y")
        if isinstance(node, ast.keyword) and node.arg in ("slots", "kw_only"):
            found.append(node.arg)
    return found
