import unittest

from induscode.addons import (
    AddonCommand,
    AgentTool,
    CommandSpec,
    EventSubscription,
    FrameworkHandles,
    GateHandler,
    HostRefused,
    InterceptorStage,
    ObserveHandler,
    RecordingSurface,
    RegisteredManifest,
    ToolInterceptor,
    TransformHandler,
    addon_id,
    create_surface,
    empty_manifest,
)
from induscode.addons.loader import LoadedManifest
from induscode.addons.process.registration import registration_of

A = addon_id("demo")


def run(_: object) -> None:
    return None


class Recording(unittest.TestCase):
    def test_nothing_recorded_is_the_empty_manifest(self) -> None:
        self.assertEqual(create_surface(A).manifest(), empty_manifest())
        self.assertEqual(empty_manifest(), RegisteredManifest((), (), (), (), ()))

    def test_each_stream_is_stamped_with_the_owner_and_in_order(self) -> None:
        surface = create_surface(A)
        first, second = ObserveHandler(run), GateHandler(run, on_failure="block")
        tool = AgentTool("count", "Counts.", {"type": "object"}, run)
        surface.on("tool:before", first)
        surface.on("input:submit", second)
        surface.intercept_tool("*", InterceptorStage(exit=run))
        surface.add_command("hello", CommandSpec("say hi", run, argument_hint="[name]"))
        surface.add_tool(tool)
        surface.add_task("watch", "Watches.", run, activation="onDemand", grace_ms=5)
        recorded = surface.manifest()
        self.assertEqual(
            recorded.subscriptions,
            (EventSubscription(A, "tool:before", first), EventSubscription(A, "input:submit", second)),
        )
        self.assertEqual(recorded.interceptors, (ToolInterceptor(A, "*", None, run),))
        self.assertEqual(recorded.commands, (AddonCommand(A, "hello", "say hi", run, "[name]"),))
        self.assertEqual(recorded.tools, (tool,))
        self.assertEqual([(task.id, task.activation, task.restart, task.grace_ms) for task in recorded.tasks],
                         [("watch", "onDemand", "never", 5)])

    def test_what_a_tool_or_a_task_needs_is_recorded_with_it(self) -> None:
        surface = create_surface(A)
        write = [{"kind": "files", "write": True}]
        surface.add_tool(AgentTool("t", "d", {"type": "object"}, run, required_capabilities=write))
        surface.add_task("k", "d", run, required_capabilities=write)
        recorded = surface.manifest()
        self.assertEqual(recorded.tasks[0].required_capabilities, tuple(write))
        answer = registration_of(recorded, LoadedManifest(run))
        self.assertEqual([answer["tools"][0]["requiredCapabilities"], answer["tasks"][0]["requiredCapabilities"]], [write, write])
        with self.assertRaisesRegex(TypeError, "surface.add_tool\\('t'\\): required_capabilities must be a list of mappings"):
            surface.add_tool(AgentTool("t", "d", {"type": "object"}, run, required_capabilities=["files"]))  # type: ignore[list-item]

    def test_a_manifest_is_a_snapshot(self) -> None:
        surface = create_surface(A)
        before = surface.manifest()
        surface.on("turn:end", ObserveHandler(run))
        self.assertEqual((len(before.subscriptions), len(surface.manifest().subscriptions)), (0, 1))
        with self.assertRaises(AttributeError):
            before.tools = ()  # type: ignore[misc]

    def test_it_carries_its_id_and_handles(self) -> None:
        handles = FrameworkHandles(send_message=run)
        surface = create_surface(A, handles)
        self.assertIsInstance(surface, RecordingSurface)
        self.assertEqual((surface.id, surface.handles), (A, handles))
        self.assertEqual(create_surface(A).handles, FrameworkHandles(None, None, None, None, None))

    def test_handlers_carry_their_kind(self) -> None:
        kinds = [ObserveHandler.kind, TransformHandler.kind, GateHandler.kind, GateHandler(run).kind]
        self.assertEqual(kinds, ["observe", "transform", "gate", "gate"])
        self.assertIsNone(GateHandler(run).on_failure)

    def test_wrong_shapes_raise_where_they_are_passed(self) -> None:
        surface = create_surface(A)
        for call, error, says in (
            (lambda: surface.on("tool:befor", ObserveHandler(run)), ValueError, "did you mean 'tool:before'"),
            (lambda: surface.on("xyzzy", ObserveHandler(run)), ValueError, "the events are session:start"),
            (lambda: surface.on("tool:before", run), TypeError, "found function; wrap it"),
            (lambda: surface.intercept_tool("", InterceptorStage()), TypeError, "must be a non-empty string"),
            (lambda: surface.intercept_tool("bash", run), TypeError, "expected an InterceptorStage"),
            (lambda: surface.add_command("x", run), TypeError, "expected a CommandSpec"),
            (lambda: surface.add_tool(run), TypeError, "found function without name"),
            (lambda: surface.add_task("", "", run), TypeError, "an id must be a non-empty string"),
        ):
            with self.assertRaisesRegex(error, says):
                call()
        self.assertEqual(surface.manifest(), empty_manifest())

    def test_without_a_host_its_services_say_so(self) -> None:
        with self.assertRaises(HostRefused) as raised:
            create_surface(A).host.read_file("x")
        self.assertEqual(raised.exception.kind, "unavailable")
        self.assertIn("readFile: no host is connected", str(raised.exception))


class TheProtocolOfASurface(unittest.TestCase):
    def test_takes_what_the_recording_surface_takes(self):
        import inspect

        from induscode.addons import AddonSurface, RecordingSurface

        for name in ("on", "intercept_tool", "add_command", "add_tool", "add_task", "manifest"):
            promised = inspect.signature(getattr(AddonSurface, name)).parameters
            kept = inspect.signature(getattr(RecordingSurface, name)).parameters
            self.assertEqual({each: p.default for each, p in promised.items()}, {each: p.default for each, p in kept.items()}, name)
