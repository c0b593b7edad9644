import os
import tempfile
import unittest
from types import SimpleNamespace
from typing import Any, Dict, List, Optional

from induscode.addons import (
    AddonDiscovery,
    AddonEventDispatcher,
    AddonFault,
    AddonInterceptorChain,
    AddonRegistry,
    AddonSource,
    AgentTool,
    AgentToolResult,
    CommandSpec,
    FrameworkHandles,
    GateDecision,
    InterceptorStage,
    ObserveHandler,
    ToolEnterContext,
    addon_fault,
    addon_id,
    create_addon_host,
)


def nothing(_: Any) -> None:
    return None


def fail(_: Any) -> Any:
    raise ValueError("boom")


class ModulesLoader:
    def __init__(self, modules: Dict[str, Any]) -> None:
        self.modules = modules

    async def load(self, path: str) -> Any:
        return self.modules[path]


def addon(register: Any, id: Optional[str] = None) -> Any:
    return SimpleNamespace(register=register, id=id, version=None)


def source(path: str) -> AddonSource:
    return AddonSource(id=addon_id(path.strip("/")), path=path)


class Hosting(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.faults: List[AddonFault] = []

    def host(self, table: Dict[str, Any], **deps: Any) -> Any:
        host = create_addon_host(loader=ModulesLoader(table), **deps)
        host.on_fault(self.faults.append)
        return host

    async def load(self, table: Dict[str, Any], **deps: Any) -> Any:
        return await self.host(table, **deps).load_all(AddonDiscovery(explicit_paths=list(table)))

    async def test_nothing_loaded_is_an_empty_wired_bundle(self) -> None:
        bundle = await create_addon_host().load_all(AddonDiscovery())
        self.assertEqual((bundle.commands, bundle.tools, bundle.loaded), ((), (), ()))
        self.assertIsInstance(bundle.dispatch, AddonEventDispatcher)
        self.assertIsInstance(bundle.interceptors, AddonInterceptorChain)

    async def test_the_fold_preserves_load_order(self) -> None:
        seen: List[str] = []

        def register(name: str) -> Any:
            return lambda surface: (
                surface.on("turn:end", ObserveHandler(lambda p: seen.append(name))),
                surface.intercept_tool("*", InterceptorStage(enter=lambda c: seen.append(f"enter {name}"))),
            )

        bundle = await self.load({"/a": addon(register("a")), "/b": addon(register("b"))})
        await bundle.dispatch.dispatch("turn:end", {})
        await bundle.interceptors.run(ToolEnterContext("x", "1", {}), lambda args: AgentToolResult())
        self.assertEqual(seen, ["a", "b", "enter a", "enter b"])
        self.assertEqual(bundle.loaded, ("a", "b"))

    async def test_register_may_be_async_and_reads_the_handles(self) -> None:
        handles = FrameworkHandles(send_message=nothing)

        async def register(surface: Any) -> None:
            self.assertIs(surface.handles, handles)
            surface.add_command("later", CommandSpec("x", nothing))

        bundle = await self.load({"/a": addon(register)}, handles=handles)
        self.assertEqual([command.name for command in bundle.commands], ["later"])

    async def test_a_declared_id_goes_before_the_derived_one(self) -> None:
        bundle = await self.load({"/a": addon(lambda s: s.on("turn:end", ObserveHandler(nothing)), id="mine")})
        self.assertEqual(bundle.loaded, ("mine",))

    async def test_a_load_that_fails_is_a_fault_and_the_rest_goes_on(self) -> None:
        host = self.host({"/good": addon(nothing)})
        bundle = await host.load_all(AddonDiscovery(explicit_paths=["/bad", "/good"]))
        self.assertEqual((bundle.loaded, [(f.kind, f.addon) for f in self.faults]), (("good",), [("load", "bad")]))
        self.assertIsInstance(self.faults[0].cause, KeyError)

    async def test_a_register_that_raises_contributes_nothing(self) -> None:
        def half(surface: Any) -> None:
            surface.add_command("half", CommandSpec("x", nothing))
            raise ValueError("boom")

        async def exits(surface: Any) -> None:
            raise SystemExit(3)

        bundle = await self.load({"/half": addon(half), "/exits": addon(exits), "/good": addon(nothing)})
        self.assertEqual((bundle.commands, bundle.loaded), ((), ("good",)))
        self.assertEqual([(f.kind, f.message) for f in self.faults],
                         [("register", "half failed to register: ValueError: boom"),
                          ("register", "exits failed to register: SystemExit: 3")])

    async def test_the_first_claimant_of_a_name_keeps_it(self) -> None:
        def register(surface: Any) -> None:
            surface.add_command("deploy", CommandSpec(str(surface.id), nothing))
            surface.add_tool(AgentTool("count", str(surface.id), {}, nothing))
            surface.on("turn:end", ObserveHandler(nothing))

        host = self.host({"/a": addon(register), "/b": addon(register)})
        bundle = await host.load_all(AddonDiscovery(explicit_paths=["/a", "/b"]))
        self.assertEqual([each.summary for each in bundle.commands], ["a"])
        self.assertEqual([each.description for each in bundle.tools], ["a"])
        self.assertEqual([(f.kind, f.addon, f.message) for f in self.faults],
                         [("conflict", "b", "b: the command deploy belongs to an earlier addon"),
                          ("conflict", "b", "b: the tool count belongs to an earlier addon")])
        self.assertEqual(len(host.registry.subscriptions), 2)

    async def test_reserved_names_cannot_be_shadowed(self) -> None:
        names = ["help", "quit", "exit", "clear", "model", "compact", "mine"]

        def register(surface: Any) -> None:
            for name in names:
                surface.add_command(name, CommandSpec("x", nothing))

        bundle = await self.load({"/a": addon(register)})
        self.assertEqual([command.name for command in bundle.commands], ["mine"])
        self.assertEqual([f.kind for f in self.faults], ["conflict"] * 6)
        other = await self.load({"/a": addon(register)}, reserved_actions=["mine"])
        self.assertEqual([command.name for command in other.commands], names[:-1])

    async def test_later_faults_of_the_runtimes_reach_the_same_listeners(self) -> None:
        def register(surface: Any) -> None:
            surface.on("turn:end", ObserveHandler(fail))
            surface.intercept_tool("*", InterceptorStage(enter=fail))

        bundle = await self.load({"/a": addon(register)})
        await bundle.dispatch.dispatch("turn:end", {})
        await bundle.interceptors.run(ToolEnterContext("x", "1", {}), lambda args: AgentToolResult())
        self.assertEqual([(f.kind, f.addon) for f in self.faults], [("handler", "a")] * 2)

    async def test_unsubscribing_is_idempotent(self) -> None:
        host = create_addon_host(loader=ModulesLoader({}))
        stop = host.on_fault(self.faults.append)
        stop()
        stop()
        await host.load_one(source("/none"))
        self.assertEqual(self.faults, [])

    async def test_load_one_grafts_an_addon_and_the_registry_shows_it(self) -> None:
        host = self.host({"/x": addon(lambda s: s.add_command("x", CommandSpec("x", nothing)))})
        self.assertEqual(host.registry, AddonRegistry())
        recorded = await host.load_one(source("/x"))
        self.assertEqual(host.registry.commands, recorded.commands)
        self.assertIsNone(await host.load_one(source("/missing")))
        self.assertEqual((await host.load_all(AddonDiscovery())).loaded, ("x",))

    async def test_the_runtimes_can_be_replaced(self) -> None:
        given: List[Any] = []
        bundle = await self.load(
            {"/a": addon(lambda s: s.on("turn:end", ObserveHandler(nothing)))},
            dispatcher=lambda subscriptions: given.append(list(subscriptions)) or "mine",
            chain=lambda interceptors: "chain",
        )
        self.assertEqual((bundle.dispatch, bundle.interceptors, len(given[0])), ("mine", "chain", 1))

    async def test_a_text_is_the_workspace(self) -> None:
        with tempfile.TemporaryDirectory() as workspace:
            folder = os.path.join(workspace, ".indus/addons")
            os.makedirs(folder)
            with open(os.path.join(folder, "gate.py"), "w", encoding="utf-8") as file:
                file.write("from induscode.addons import GateDecision, GateHandler\n"
                           "def register(surface):\n"
                           "    surface.on('input:submit', GateHandler(lambda p: GateDecision(True, 'no')))\n")
            with open(os.path.join(folder, "broken.py"), "w", encoding="utf-8") as file:
                file.write("import nothing_of_this_name\n")
            host = create_addon_host()
            host.on_fault(self.faults.append)
            bundle = await host.load_all(workspace)
        self.assertEqual(bundle.loaded, ("gate",))
        self.assertEqual((await bundle.dispatch.dispatch("input:submit", {})).gate, GateDecision(True, "no"))
        self.assertEqual([(f.kind, f.addon) for f in self.faults], [("load", "broken")])


class Faults(unittest.TestCase):
    def test_a_fault_is_a_frozen_record_and_no_exception(self) -> None:
        cause = ValueError("x")
        fault = addon_fault("command", "it failed", addon=addon_id("a"), cause=cause)
        self.assertEqual(fault, AddonFault("command", "it failed", addon_id("a"), cause))
        self.assertEqual(addon_fault("load", "m"), AddonFault("load", "m", None, None))
        self.assertNotIsInstance(fault, BaseException)
        with self.assertRaises(AttributeError):
            fault.kind = "load"  # type: ignore[misc]
