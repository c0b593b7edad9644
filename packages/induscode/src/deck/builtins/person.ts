// The tools with which the model addresses the person: plan mode, which restricts every tool until a plan is approved, and a question
// with choices. A session has them when somebody can answer.

import { defineTool, failureResult, type ToolResult, textResult } from "indusagi/capabilities";
import type { JsonValue, SessionScope } from "indusagi/core";
import type { FeatureModule } from "../../feature/install.ts";
import type { FeatureUi } from "../../feature/ui.ts";
import { noAccess, stringArgument } from "./accesses.ts";
import { ASK_USER, ENTER_PLAN, EXIT_PLAN, PERSON } from "./person-desk.ts";
import { createToolFeature, type ReachOf } from "./tool-feature.ts";

const MAX_PLAN_CHARS = 16_000;
const MAX_QUESTION_CHARS = 1_000;
const MAX_CHOICES = 8;
const KEEP_PLANNING = "No, keep planning";
const NOBODY = "nobody is here to answer";
const OPEN = "the person did not answer; continue without an answer, or stop and say what you need";

/** When nobody can answer there is only one tool: a session that begins with a plan ends with one. */
export function personFeature({ isHere }: { readonly isHere: boolean }): FeatureModule {
  return createToolFeature({
    id: "builtin:person",
    displayName: "The person",
    uses: [
      {
        capability: { kind: "ui", status: false, render: true, ask: true },
        required: false,
        reason: "shows the person a plan, and asks",
      },
    ],
    tools: (reachOf) =>
      (isHere ? [enterPlan(), exitPlan(reachOf), askUser(reachOf)] : [exitPlan(reachOf)]).map((tool) => ({
        tool,
        accesses: noAccess,
        waits: true,
      })),
  });
}

function enterPlan() {
  return defineTool({
    name: ENTER_PLAN,
    description: `Enter plan mode: nothing is written, and no command that changes anything runs, until the person approves what you propose with ${EXIT_PLAN}.`,
    parameters: { type: "object", properties: {}, additionalProperties: false },
    run: async (_input, { framework }): Promise<ToolResult> => {
      const desk = framework.session?.get(PERSON);
      if (desk === undefined) return failureResult(NOBODY);
      desk.beginPlan();
      return textResult(`Plan mode is on: read and search, then propose a plan with ${EXIT_PLAN}.`);
    },
  });
}

function exitPlan(reachOf: ReachOf) {
  return defineTool({
    name: EXIT_PLAN,
    description:
      "Show the person your plan for approval: what changes, in which files, and how it is checked. Ends plan mode when they approve.",
    parameters: {
      type: "object",
      properties: {
        plan: { type: "string", maxLength: MAX_PLAN_CHARS, description: "The plan, in Markdown." },
      },
      required: ["plan"],
      additionalProperties: false,
    },
    run: async (input, { framework, signal }): Promise<ToolResult> => {
      const desk = framework.session?.get(PERSON);
      const plan = stringArgument(input, "plan")?.trim() ?? "";
      if (desk === undefined) return failureResult(NOBODY);
      if (!desk.isPlanning()) return failureResult(`plan mode is off: call ${ENTER_PLAN} first`);
      if (plan === "") return failureResult("expected a plan, found nothing");
      const ui = consoleOf(reachOf, framework.session);
      if (ui === undefined) {
        desk.propose?.(plan); // plan mode stays: other calls of the same answer come after this one
        framework.report?.end?.();
        return textResult("The plan was submitted, and the task ends here.");
      }
      ui.render({ kind: "markdown", title: "Proposed plan", text: plan });
      const ways = desk.waysOn();
      const choices = [...ways.map(({ label }) => label), KEEP_PLANNING];
      const answer = await ui.ask(
        { kind: "select", title: "Proposed plan", question: "approve it, and let the work begin?", choices },
        signal,
      );
      const way = typeof answer === "number" ? ways[answer] : undefined;
      if (way) {
        desk.endPlan(way);
        framework.report?.status("approved");
        return textResult(`The person approved. Carry out this plan and nothing else:\n\n${plan}`);
      }
      const why =
        answer === ways.length
          ? await ui.ask(
              {
                kind: "input",
                title: "Proposed plan",
                question: "what should be different? (Enter: nothing to add)",
              },
              signal,
            )
          : undefined;
      framework.report?.status("not approved");
      const reason = typeof why === "string" && why.trim() !== "" ? `: ${why.trim()}` : "";
      return failureResult(`the person did not approve${reason}. You are still in plan mode.`);
    },
  });
}

function askUser(reachOf: ReachOf) {
  return defineTool({
    name: ASK_USER,
    description:
      "Ask the person one question with choices, when their answer decides what you do next. Not for permission to run something: that is asked when you run it.",
    parameters: {
      type: "object",
      properties: {
        question: { type: "string", maxLength: MAX_QUESTION_CHARS },
        choices: {
          type: "array",
          items: { type: "string", maxLength: 200 },
          minItems: 2,
          maxItems: MAX_CHOICES,
          description: "Short answers. The person may write a different one.",
        },
      },
      required: ["question", "choices"],
      additionalProperties: false,
    },
    run: async (input, { framework, signal }): Promise<ToolResult> => {
      const ui = consoleOf(reachOf, framework.session);
      const question = stringArgument(input, "question")?.trim() ?? "";
      const choices = choicesIn(input);
      if (ui === undefined) return failureResult(NOBODY);
      if (question === "" || choices.length < 2)
        return failureResult("expected a question and at least two choices");
      const own = [...choices, "Something else"];
      const answer = await ui.ask({ kind: "select", question, choices: own }, signal);
      if (typeof answer !== "number") return failureResult(OPEN);
      const chosen = choices[answer];
      if (chosen !== undefined) {
        framework.report?.status(chosen);
        return textResult(`The person chose: ${chosen}`);
      }
      const written = await ui.ask({ kind: "input", question }, signal);
      if (typeof written !== "string" || written.trim() === "") return failureResult(OPEN);
      framework.report?.status(written.trim());
      return textResult(`The person wrote: ${written.trim()}`);
    },
  });
}

/** The session's console; undefined when nobody can answer there. */
function consoleOf(reachOf: ReachOf, session: SessionScope | undefined): FeatureUi | undefined {
  const answer = reachOf(session)?.services.ui("ask");
  return answer?.ok === true ? answer.service : undefined;
}

function choicesIn(input: JsonValue): readonly string[] {
  const { choices } = input as { readonly choices?: unknown };
  return Array.isArray(choices) ? choices.filter((each) => typeof each === "string") : [];
}
