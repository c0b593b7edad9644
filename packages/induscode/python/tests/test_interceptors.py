import unittest
from typing import Any, List

from induscode.addons import (
    AddonFault,
    AddonInterceptorChain,
    AgentToolResult,
    ArgsRewrite,
    GateDecision,
    InterceptorStage,
    InterceptResult,
    ToolEnterContext,
    ToolExitContext,
    addon_id,
    interceptor,
)

A = addon_id("a")
CALL = ToolEnterContext(tool="shell", call_id="1", args={"cmd": "ls"})


def fail(_: Any) -> Any:
    raise ValueError("boom")


class Chain(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.faults: List[AddonFault] = []
        self.order: List[str] = []
        self.ran: List[Any] = []

    def build(self, *stages: InterceptorStage, match: str = "shell") -> AddonInterceptorChain:
        chain = AddonInterceptorChain.from_interceptors([interceptor(A, match, stage) for stage in stages])
        chain.on_fault(self.faults.append)
        return chain

    def execute(self, args: Any) -> AgentToolResult:
        self.ran.append(args)
        self.order.append("tool")
        return AgentToolResult("done")

    def traced(self, name: str) -> InterceptorStage:
        return InterceptorStage(
            enter=lambda c: self.order.append(f"enter {name}"), exit=lambda c: self.order.append(f"exit {name}")
        )

    async def test_without_stages_the_tool_runs(self) -> None:
        self.assertEqual(await self.build().run(CALL, self.execute), InterceptResult(AgentToolResult("done"), None))

    async def test_the_first_entered_stage_wraps_outermost(self) -> None:
        await self.build(self.traced("1"), self.traced("2")).run(CALL, self.execute)
        self.assertEqual(self.order, ["enter 1", "enter 2", "tool", "exit 2", "exit 1"])

    async def test_only_matching_stages_run(self) -> None:
        chain = AddonInterceptorChain([
            interceptor(A, "shell", self.traced("shell")),
            interceptor(A, "read", self.traced("read")),
            interceptor(A, "*", self.traced("star")),
        ])
        await chain.run(CALL, self.execute)
        self.assertEqual(self.order, ["enter shell", "enter star", "tool", "exit star", "exit shell"])

    async def test_the_seeds_example_rewrites_arguments(self) -> None:
        stage = InterceptorStage(enter=lambda c: ArgsRewrite(args={**c.args, "dry": True}))
        second: List[Any] = []
        res = await self.build(stage, InterceptorStage(enter=lambda c: second.append(c.args))).run(CALL, self.execute)
        rewritten = [{"cmd": "ls", "dry": True}]
        self.assertEqual((self.ran, second, res.blocked), (rewritten, rewritten, None))

    async def test_a_block_short_circuits(self) -> None:
        stop = InterceptorStage(enter=lambda c: GateDecision(stop=True, reason="no"))
        res = await self.build(self.traced("1"), stop, self.traced("2")).run(CALL, self.execute)
        self.assertEqual(res, InterceptResult(None, GateDecision(True, "no")))
        self.assertEqual(self.order, ["enter 1"])

    async def test_plain_mappings_count(self) -> None:
        rewrite = InterceptorStage(enter=lambda c: {"args": 7})
        harmless = InterceptorStage(enter=lambda c: {"stop": False})
        await self.build(rewrite, harmless).run(CALL, self.execute)
        self.assertEqual((self.ran, self.faults), ([7], []))
        res = await self.build(InterceptorStage(enter=lambda c: {"stop": True, "args": 1})).run(CALL, self.execute)
        self.assertEqual(res.blocked, GateDecision(True, None))

    async def test_a_decision_that_does_not_stop_changes_nothing(self) -> None:
        await self.build(InterceptorStage(enter=lambda c: GateDecision(stop=False))).run(CALL, self.execute)
        self.assertEqual(self.ran, [{"cmd": "ls"}])

    async def test_stages_and_tools_may_be_async(self) -> None:
        async def enter(c: ToolEnterContext) -> Any:
            return ArgsRewrite("later")

        async def leave(c: ToolExitContext) -> Any:
            return AgentToolResult(c.result.text + "!")

        async def execute(args: Any) -> AgentToolResult:
            return AgentToolResult(args)

        res = await self.build(InterceptorStage(enter, leave)).run(CALL, execute)
        self.assertEqual(res.result.text, "later!")

    async def test_exit_stages_rewrite_the_result_one_after_the_other(self) -> None:
        chain = self.build(
            InterceptorStage(exit=lambda c: {"content": c.result.text + " outer", "is_error": True}),
            InterceptorStage(exit=lambda c: AgentToolResult(c.result.text + " inner")),
        )
        res = await chain.run(CALL, self.execute)
        self.assertEqual((res.result.text, res.result.is_error), ("done inner outer", True))

    async def test_failing_stages_are_faults_and_no_ops(self) -> None:
        res = await self.build(InterceptorStage(fail, fail), InterceptorStage(lambda c: 3)).run(CALL, self.execute)
        self.assertEqual((res.result, self.ran), (AgentToolResult("done"), [{"cmd": "ls"}]))
        self.assertEqual([fault.kind for fault in self.faults], ["handler"] * 3)
        self.assertEqual(self.faults[0].message, "a failed around the tool shell: ValueError: boom")
        self.assertIn("found int", self.faults[1].message)

    async def test_a_tools_own_error_is_raised_again(self) -> None:
        errors: List[Any] = []
        chain = self.build(InterceptorStage(exit=lambda c: errors.append((c.result, str(c.error)))))
        with self.assertRaisesRegex(ValueError, "boom"):
            await chain.run(CALL, fail)
        self.assertEqual((errors, self.faults), ([(None, "boom")], []))

    async def test_an_exit_stage_recovers_from_it(self) -> None:
        outer: List[Any] = []
        chain = self.build(
            InterceptorStage(exit=lambda c: outer.append((c.result.text, c.error))),
            InterceptorStage(exit=lambda c: AgentToolResult("recovered") if c.error else None),
        )
        res = await chain.run(CALL, fail)
        self.assertEqual((res.result.text, outer), ("recovered", [("recovered", None)]))


class Results(unittest.TestCase):
    def test_content_is_a_text_or_a_list_of_texts_and_blocks(self) -> None:
        text, value = {"kind": "text", "text": "a"}, {"kind": "json", "value": 1}
        self.assertEqual(AgentToolResult("a").blocks, [text])
        self.assertEqual(AgentToolResult(["a", text, {"type": "text", "text": "a"}, value, {"x": 2}, 3]).blocks,
                         [text, text, text, value, {"kind": "json", "value": {"x": 2}}, {"kind": "json", "value": 3}])
        self.assertEqual(AgentToolResult({"x": 1}).blocks, [{"kind": "json", "value": {"x": 1}}])
        self.assertEqual(AgentToolResult(["a", value, "b"]).text, "ab")
