// Work items: what needs doing in a folder beyond one session. Tools for the model, and a watcher that
// reports what others did to them. They are stored by the host's service, under the grant `work_items`.

import {
  ArgumentReader,
  type DefinedTool,
  defineTool,
  failureResult,
  type ToolContext,
  type ToolResult,
  textResult,
} from "indusagi/capabilities";
import { clamp, delay, describeError, type JsonObject } from "indusagi/core";
import { noAccess } from "../../deck/builtins/accesses.ts";
import type { ReachOf } from "../../deck/builtins/tool-feature.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { BackgroundTask, FeatureModule } from "../../feature/install.ts";
import type { AccessRight, ServiceAnswer } from "../../feature/services.ts";
import type {
  WorkItem,
  WorkItemChange,
  WorkItemReader,
  WorkItemStatus,
  WorkItems,
} from "../../feature/work-items-service.ts";

const STORE = { kind: "work_items", read: true, write: true } as const satisfies HostCapability;
const WATCH = "work_item_watch";
const STATUSES: readonly WorkItemStatus[] = ["open", "blocked", "done", "failed"];
const LOOK_EVERY_MS = 2_000;
const MAX_TOLD = 20;

export function workItemsFeature(): FeatureModule {
  const toolsFor = (reachOf: ReachOf): readonly DefinedTool[] =>
    [listTool, createTool, commentTool, moveTool, dependTool].map((make) => make(reachOf));
  const names = toolsFor(() => undefined).map(({ name }) => name);
  return {
    descriptor: {
      id: "builtin:work-item",
      displayName: "WorkItem intake and routing",
      runtime: "builtin",
      requestedCapabilities: [
        ...names.map((name) => ({
          capability: { kind: "contribute_tool" as const, name },
          required: true,
          reason: `offers the tool ${name}`,
        })),
        {
          capability: STORE,
          required: true,
          reason: "keeps the work items of this folder",
        },
        {
          capability: { kind: "model_notification" },
          required: false,
          reason: "notifies the model of changes that others make to work items",
        },
        { capability: { kind: "alert" }, required: false, reason: "warns the person when the watcher fails" },
        {
          capability: { kind: "background_task" },
          required: false,
          reason: "watches the work items for changes",
        },
      ],
      declaredTools: names,
      declaredCommands: [],
      declaredHooks: [],
      declaredTasks: [WATCH],
    },
    install(context) {
      for (const tool of toolsFor(context.reachOf))
        context.tools.register({ tool, accesses: noAccess, requiredCapabilities: [STORE] });
      context.tasks.register(watcher());
    },
  };
}

/** A tool on the session's work items; errors become results. */
function workItemTool(
  reachOf: ReachOf,
  name: string,
  description: string,
  properties: JsonObject,
  required: readonly string[],
  right: AccessRight,
  run: (items: WorkItems, args: ArgumentReader, context: ToolContext) => Promise<string>,
): DefinedTool {
  return defineTool({
    name,
    description,
    parameters: { type: "object", properties, required: [...required], additionalProperties: false },
    run: async (input, context): Promise<ToolResult> => {
      const reach = reachOf(context.framework.session);
      const answer = reach?.services.workItems(right) as ServiceAnswer<Promise<WorkItems>> | undefined;
      if (answer === undefined) return failureResult("no session is available here");
      if (!answer.ok) return failureResult(answer.reason);
      try {
        const text = await run(await answer.service, new ArgumentReader(input), context);
        return textResult(clamp(text, context.budget));
      } catch (error) {
        return failureResult(describeError(error));
      }
    },
  });
}

const text = (description: string, more: JsonObject = {}): JsonObject => ({
  type: "string",
  description,
  ...more,
});
const ids = (description: string): JsonObject => ({ type: "array", items: { type: "string" }, description });
const ID = text("The work item's id.");

const listTool = (reachOf: ReachOf): DefinedTool =>
  workItemTool(
    reachOf,
    "WorkItemList",
    "List the work items of this folder, which outlive this session: what needs doing, what depends on what, and the results.",
    {
      status: text("Only items with this status.", { enum: [...STATUSES] }),
      id: text("Only this item, with all its comments."),
    },
    [],
    "read",
    async (items, args) => {
      const [status, id] = [args.text("status") as WorkItemStatus | undefined, args.text("id")];
      const found = (await items.list(status)).filter((item) => id === undefined || item.id === id);
      if (found.length === 0)
        return id === undefined ? "No matching work items." : `Work item not found: ${id}.`;
      const all = id === undefined ? await items.list() : [];
      const isDone = (dep: string): boolean => all.some((item) => item.id === dep && item.status === "done");
      return found.map((item) => (id === undefined ? lineOf(item, isDone) : wholeOf(item))).join("\n");
    },
  );

const createTool = (reachOf: ReachOf): DefinedTool =>
  workItemTool(
    reachOf,
    "WorkItemCreate",
    "Create a work item: something to do in this folder, in this session or another.",
    {
      title: text("One line."),
      brief: text("What to do, and how to tell that it is done."),
      priority: text("Default normal.", { enum: ["low", "normal", "high"] }),
      deps: ids("Ids of the work items that must be done first."),
    },
    ["title"],
    "write",
    async (items, args) => {
      const [title, brief, priority] = [
        args.requiredText("title"),
        args.text("brief"),
        args.text("priority"),
      ];
      const deps = idsIn(args, "deps");
      const id = await items.create({
        title,
        brief,
        priority: priority === undefined ? undefined : (priority as "low" | "normal" | "high"),
        deps,
      });
      return `Created ${id}.`;
    },
  );

const commentTool = (reachOf: ReachOf): DefinedTool =>
  workItemTool(
    reachOf,
    "WorkItemComment",
    "Add a comment to a work item: what you found, what is left.",
    { id: ID, text: text("The comment.") },
    ["id", "text"],
    "write",
    async (items, args) => {
      await items.comment(args.requiredText("id"), args.requiredText("text"));
      return "Added.";
    },
  );

const moveTool = (reachOf: ReachOf): DefinedTool =>
  workItemTool(
    reachOf,
    "WorkItemMove",
    "Set the status of a work item: done, failed, blocked, or open again.",
    { id: ID, to: text("The new status.", { enum: [...STATUSES] }), reason: text("The result, or why.") },
    ["id", "to"],
    "write",
    async (items, args) => {
      const [id, to] = [args.requiredText("id"), args.requiredText("to")];
      await items.move(id, to as WorkItemStatus, args.text("reason"));
      return `${id} is ${to}.`;
    },
  );

const dependTool = (reachOf: ReachOf): DefinedTool =>
  workItemTool(
    reachOf,
    "WorkItemDepend",
    "Make a work item depend on others. Cycles are refused.",
    { id: ID, on: ids("Ids of the work items that must be done first.") },
    ["id", "on"],
    "write",
    async (items, args) => {
      const id = args.requiredText("id");
      await items.depend(id, idsIn(args, "on") ?? []);
      return `${id} now depends on them.`;
    },
  );

function idsIn(args: ArgumentReader, name: string): readonly string[] | undefined {
  const given = args.raw(name);
  return Array.isArray(given) ? given.filter((each) => typeof each === "string") : undefined;
}

function lineOf({ id, status, priority, title, deps }: WorkItem, isDone: (id: string) => boolean): string {
  const waits = deps.filter((dep) => !isDone(dep));
  const more = waits.length === 0 ? "" : `  (waits for ${waits.join(", ")})`;
  return `${id}  ${status}  ${priority}  ${title}${more}`;
}

function wholeOf({ id, status, priority, title, brief, deps, summary, comments, ...by }: WorkItem): string {
  return [
    `${id}  ${status}  ${priority}  ${title}`,
    `by ${by.postedBy}, ${by.postedAt}${deps.length === 0 ? "" : `, after ${deps.join(", ")}`}`,
    ...[brief, summary ?? ""].filter((part) => part !== ""),
    ...comments.map((comment) => `${comment.by}, ${comment.at}: ${comment.text}`),
  ].join("\n");
}

/** Notifies the model of others' changes to the work items. It polls every two seconds, and only while a session is open. */
function watcher(): BackgroundTask {
  return {
    id: WATCH,
    description: "notifies the model of changes that others make to work items",
    activation: "session",
    restart: "onFailure",
    graceMs: 100,
    requiredCapabilities: [STORE],
    async run({ signal, services, notifyModel, alert }) {
      const answer = services.workItems("read");
      if (!answer.ok) throw new Error(answer.reason);
      try {
        const items = await answer.service;
        let seen = (await items.changes()).at(-1)?.step ?? 0;
        while (!signal.aborted) {
          const news = await items.changes(seen);
          seen = news.at(-1)?.step ?? seen;
          const others = news.filter(({ by }) => by !== items.name);
          if (others.length > 0) notifyModel(await inWords(items, others));
          await delay(LOOK_EVERY_MS, signal);
        }
      } catch (error) {
        if (!signal.aborted) alert(`the work items are not watched for now: ${describeError(error)}`);
        throw error;
      }
    },
  };
}

async function inWords(items: WorkItemReader, changes: readonly WorkItemChange[]): Promise<string> {
  const titles = new Map((await items.list()).map(({ id, title }) => [id, title]));
  const lines = changes
    .slice(0, MAX_TOLD)
    .map(({ id, what, by }) => `${id} ${JSON.stringify(titles.get(id) ?? "")}: ${WORDS[what]} by ${by}`);
  const left = changes.length - lines.length;
  return [
    "Work items changed:",
    ...lines,
    ...(left > 0 ? [`and ${left} more ${left === 1 ? "change" : "changes"}`] : []),
  ].join("\n");
}

const WORDS: Readonly<Record<WorkItemChange["what"], string>> = {
  created: "created",
  commented: "commented on",
  depends: "made dependent on others",
  open: "opened",
  blocked: "blocked",
  done: "done",
  failed: "failed",
};
