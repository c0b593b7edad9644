import io
import unittest
from contextlib import redirect_stderr
from typing import Any, List

from induscode.addons import (
    EVENT_TRAITS,
    RESERVED_EVENTS,
    AddonEventDispatcher,
    AddonFault,
    DispatchOutcome,
    EventTrait,
    GateDecision,
    GateHandler,
    HookEvent,
    ObserveHandler,
    TransformHandler,
    addon_id,
    subscription,
)

A, B = addon_id("a"), addon_id("b")


def fail(_: Any) -> Any:
    raise ValueError("boom")


async def fail_later(_: Any) -> Any:
    raise ValueError("later")


class Table(unittest.TestCase):
    def test_the_reserved_set_is_derived_from_the_table(self) -> None:
        self.assertEqual(RESERVED_EVENTS, {"tool:before", "input:submit", "compact:before"})
        self.assertEqual(RESERVED_EVENTS, {event for event, trait in EVENT_TRAITS.items() if trait.guards})
        self.assertEqual(EVENT_TRAITS["turn:end"], EventTrait(guards=False))
        self.assertEqual(AddonEventDispatcher().reserved, RESERVED_EVENTS)

    def test_the_table_and_the_type_name_the_same_events(self) -> None:
        self.assertEqual(tuple(EVENT_TRAITS), HookEvent.__args__)  # type: ignore[attr-defined]
        self.assertEqual(len(EVENT_TRAITS), 13)

    def test_the_table_cannot_be_changed_by_an_addon(self) -> None:
        with self.assertRaises(TypeError):
            EVENT_TRAITS["tool:before"] = EventTrait(False)  # type: ignore[index]


class Dispatch(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.faults: List[AddonFault] = []

    def build(self, event: str, *handlers: Any) -> AddonEventDispatcher:
        made = AddonEventDispatcher.from_subscriptions([subscription(A, event, each) for each in handlers])
        made.on_fault(self.faults.append)
        return made

    async def test_no_handler_leaves_the_payload(self) -> None:
        payload = {"model": "x"}
        self.assertEqual(await AddonEventDispatcher().dispatch("chat:params", payload), DispatchOutcome(payload, None))

    async def test_a_transform_adds_to_the_payload(self) -> None:
        out = await self.build("shell:env", TransformHandler(lambda p: {**p, "CI": "1"})).dispatch("shell:env", {"A": "b"})
        self.assertEqual((out.payload, out.gate), ({"A": "b", "CI": "1"}, None))

    async def test_transforms_thread_forward_in_order_and_may_be_async(self) -> None:
        async def add(p: str) -> str:
            return p + "2"

        disp = self.build("input:submit", TransformHandler(lambda p: p + "1"), TransformHandler(add))
        self.assertEqual((await disp.dispatch("input:submit", "0")).payload, "012")

    async def test_a_transform_that_returns_none_changes_nothing(self) -> None:
        disp = self.build("input:submit", TransformHandler(lambda p: None))
        self.assertEqual((await disp.dispatch("input:submit", "0")).payload, "0")

    async def test_an_observer_sees_and_cannot_alter_or_veto(self) -> None:
        seen: List[Any] = []

        def look(p: Any) -> Any:
            seen.append(dict(p))
            p["args"]["x"] = "changed"
            return GateDecision(stop=True)

        out = await self.build("tool:before", ObserveHandler(look)).dispatch("tool:before", {"args": {"x": 1}})
        self.assertEqual((out, seen[0]["args"]["x"]), (DispatchOutcome({"args": {"x": 1}}), "changed"))

    async def test_a_payload_that_cannot_be_copied_is_handed_as_it_is(self) -> None:
        payload = (each for each in "ab")
        seen: List[Any] = []
        await self.build("turn:end", ObserveHandler(seen.append)).dispatch("turn:end", payload)
        self.assertIs(seen[0], payload)

    async def test_the_first_stop_ends_the_walk_on_any_event(self) -> None:
        seen: List[Any] = []
        disp = self.build(
            "turn:end",
            GateHandler(lambda p: GateDecision(stop=False, reason="no")),
            GateHandler(lambda p: {"stop": True, "reason": "first"}),
            ObserveHandler(seen.append),
            GateHandler(lambda p: GateDecision(stop=True, reason="second")),
        )
        out = await disp.dispatch("turn:end", {})
        self.assertEqual((out.gate, seen), (GateDecision(True, "first"), []))

    async def test_a_gate_before_a_transform_wins(self) -> None:
        disp = self.build("input:submit", GateHandler(lambda p: GateDecision(True)), TransformHandler(lambda p: "x"))
        self.assertEqual((await disp.dispatch("input:submit", "0")).payload, "0")

    async def test_failing_handlers_are_faults_and_change_nothing(self) -> None:
        last = TransformHandler(lambda p: p + 1)
        disp = self.build("turn:end", ObserveHandler(fail), TransformHandler(fail_later), last)
        out = await disp.dispatch("turn:end", 1)
        self.assertEqual(out, DispatchOutcome(2))
        self.assertEqual([(fault.kind, fault.addon) for fault in self.faults], [("handler", A)] * 2)
        self.assertEqual([str(fault.cause) for fault in self.faults], ["boom", "later"])
        self.assertEqual(self.faults[0].message, "a failed at turn:end: ValueError: boom")

    async def test_a_gate_that_raises_fails_open(self) -> None:
        out = await self.build("tool:before", GateHandler(fail)).dispatch("tool:before", {})
        self.assertEqual((out.gate, len(self.faults)), (None, 1))

    async def test_a_gate_that_raises_blocks_where_it_says_so(self) -> None:
        out = await self.build("tool:before", GateHandler(fail, on_failure="block")).dispatch("tool:before", {})
        self.assertEqual(out.gate, GateDecision(True, "the gate of a failed, and it blocks on failure"))
        self.assertEqual(len(self.faults), 1)

    async def test_a_gate_that_returns_no_decision_is_a_fault(self) -> None:
        out = await self.build("tool:before", GateHandler(lambda p: "stop")).dispatch("tool:before", {})
        self.assertEqual((out.gate, len(self.faults)), (None, 1))
        self.assertIn("expected a GateDecision", self.faults[0].message)

    async def test_a_listener_that_raises_does_not_keep_the_next_from_hearing(self) -> None:
        disp = AddonEventDispatcher.from_subscriptions([subscription(B, "turn:end", ObserveHandler(fail))])
        disp.on_fault(fail)
        disp.on_fault(self.faults.append)
        with redirect_stderr(io.StringIO()) as said:
            await disp.dispatch("turn:end", {})
        self.assertEqual([fault.addon for fault in self.faults], [B])
        self.assertIn("ValueError: boom", said.getvalue())

    async def test_unsubscribing_twice_is_once(self) -> None:
        disp = self.build("turn:end", ObserveHandler(fail))
        other: List[Any] = []
        stop = disp.on_fault(other.append)
        again = disp.on_fault(other.append)
        stop()
        stop()
        await disp.dispatch("turn:end", {})
        self.assertEqual((len(self.faults), len(other)), (1, 1))
        again()
        await disp.dispatch("turn:end", {})
        self.assertEqual((len(self.faults), len(other)), (2, 1))
