// The person at an editor: permission questions and questions of tools, in the editor's own dialogues.

import {
  type AgentContext,
  type ClientCapabilities,
  type ElicitationPropertySchema,
  methods,
  type PermissionOption,
  type RequestPermissionRequest,
} from "@agentclientprotocol/sdk/unstable";
import { abortable, beginningOf, printable } from "indusagi/core";
import { toolTitle } from "../../conductor/call-facts.ts";
import { printableLine } from "../../console/printable-line.ts";
import { shapeHead, shapeRows } from "../../console/ui-lines.ts";
import { changeOf } from "../../console/what-it-changes.ts";
import type { PermissionAnswer, PermissionAsker, PermissionQuestion } from "../../feature/permission.ts";
import type { SessionUi, UiAnswer, UiDialog } from "../../feature/ui.ts";
import { offeredAnswers } from "../../front/permission-answers.ts";
import { diffContent, kindOf, locationsOf, textContent, titleOf } from "./call-updates.ts";

export interface PersonFacts {
  readonly editor: AgentContext;
  readonly client: ClientCapabilities;
  /** The editor's id of the session. */
  readonly session: () => string;
  /** The editor's id of a call. */
  readonly idOf: (callId: string) => string | undefined;
  /** What is told stands before the question, so it is sent first. */
  readonly tell: (text: string) => void;
  /** The person left a question: the task stops, as by Escape in a console. */
  readonly stop: () => void;
}

export interface PersonInEditor {
  readonly ask: PermissionAsker;
  readonly ui: SessionUi;
}

const WIDTH = 100;

export function personInEditor(facts: PersonFacts): PersonInEditor {
  let asked = 0;
  return {
    async ask(question, signal) {
      const offered = offeredAnswers(question, "in this session");
      const options = offered.map(({ words: name, answer }, at) => ({
        ...{ optionId: String(at), name, kind: optionKind(answer) },
      }));
      const toolCall = callOf(question, facts.idOf) ?? { toolCallId: `question-${++asked}` };
      const chosen = await choose(facts, { toolCall, options }, signal);
      if (chosen === undefined) facts.stop();
      return chosen === undefined ? { kind: "no" } : (offered[chosen]?.answer ?? { kind: "no" });
    },
    ui: {
      status: () => undefined,
      clear: () => undefined,
      render: (feature, shape) =>
        facts.tell([`**${printable(shapeHead(feature, shape))}**`, "", ...shapeText(shape)].join("\n")),
      async ask(feature, dialog, signal) {
        if (facts.client.elicitation?.form) return elicit(facts, feature, dialog, signal);
        const labels = labelsOf(dialog);
        if (labels === undefined) {
          facts.tell(
            `${feature} asks: ${dialog.question}\nThis editor cannot send a typed answer, so the question stays unanswered.`,
          );
          return undefined;
        }
        const options = [
          ...labels.map(
            (name, at): PermissionOption => ({
              optionId: String(at),
              name: printable(name),
              kind: "allow_once",
            }),
          ),
          { optionId: LEAVE, name: "Do not answer", kind: "reject_once" } as const,
        ];
        const toolCall = {
          toolCallId: `question-${++asked}`,
          title: beginningOf(printableLine(dialog.question), MAX_TITLE),
          kind: "think" as const,
          content: [textContent(dialog.question)], // a title is one line, and may be cut
        };
        const chosen = await choose(facts, { toolCall, options }, signal);
        return chosen === undefined || chosen >= labels.length ? undefined : answerOf(dialog, chosen);
      },
    },
  };
}

function optionKind(answer: PermissionAnswer): PermissionOption["kind"] {
  if (answer.kind === "no") return "reject_once";
  const isOnce =
    answer.kind === "once" ||
    ((answer.kind === "host" || answer.kind === "folder") && answer.lasts === "once");
  return isOnce ? "allow_once" : "allow_always";
}

const LEAVE = "leave";
const MAX_TITLE = 120;

/** The number of the chosen option; undefined if the person left the question. */
async function choose(
  { editor, session }: PersonFacts,
  question: Omit<RequestPermissionRequest, "sessionId">,
  signal: AbortSignal,
): Promise<number | undefined> {
  const answer = await abortable(
    editor.request(
      methods.client.session.requestPermission,
      { sessionId: session(), ...question },
      { cancellationSignal: signal },
    ),
    signal,
  );
  if (answer.outcome.outcome === "cancelled") return undefined;
  const { optionId } = answer.outcome;
  const at = question.options.findIndex((option) => option.optionId === optionId);
  return at < 0 ? undefined : at;
}

function callOf(
  { tool, call, folder, reason, problem }: PermissionQuestion,
  idOf: PersonFacts["idOf"],
): RequestPermissionRequest["toolCall"] | undefined {
  if (call === undefined) return undefined;
  const { id, delegate, input } = call;
  const locations = locationsOf(tool, input, folder);
  const [first] = locations;
  const change = first && changeOf(call);
  const diff = change ? diffContent(first.path, change.diff) : [];
  const why = [problem, reason, change?.note].filter((text) => text !== undefined).join("\n");
  return {
    toolCallId: idOf(id) ?? id,
    title: `${delegate === undefined ? "" : `${delegate}: `}${titleOf(tool, toolTitle(input))}`,
    kind: kindOf(tool),
    status: "pending",
    locations,
    rawInput: input,
    content: [...diff, textContent(why)],
  };
}

function labelsOf(dialog: UiDialog): readonly string[] | undefined {
  if (dialog.kind === "select") return dialog.choices;
  return dialog.kind === "confirm" ? ["Yes", "No"] : undefined;
}

function answerOf(dialog: UiDialog, chosen: number): UiAnswer {
  return dialog.kind === "confirm" ? chosen === 0 : chosen;
}

/** The editor's form, with one field. */
async function elicit(
  { editor, session }: PersonFacts,
  feature: string,
  dialog: UiDialog,
  signal: AbortSignal,
): Promise<UiAnswer> {
  const labels = labelsOf(dialog);
  const answer: ElicitationPropertySchema = labels
    ? { type: "string", oneOf: labels.map((title, at) => ({ const: String(at), title: printable(title) })) }
    : { type: "string" };
  const reply = await abortable(
    editor.request(
      methods.client.elicitation.create,
      {
        mode: "form",
        sessionId: session(),
        message: printable(`${feature}: ${dialog.question}`),
        requestedSchema: { type: "object", properties: { answer }, required: ["answer"] },
      },
      { cancellationSignal: signal },
    ),
    signal,
  );
  const content = reply.action === "accept" ? (reply.content as Record<string, unknown> | null) : undefined;
  const given = content?.answer;
  if (typeof given !== "string") return undefined;
  if (labels === undefined) return given;
  const chosen = labels.findIndex((_, at) => String(at) === given);
  return chosen < 0 ? undefined : answerOf(dialog, chosen);
}

function shapeText(shape: Parameters<SessionUi["render"]>[1]): readonly string[] {
  return shape.kind === "markdown" || shape.kind === "text"
    ? [printable(shape.text)]
    : shapeRows(shape, WIDTH);
}
