// What the setting `workItems` gives, as an addon: tools for the work items of this folder, and a task that tells the model what
// others did to them. Take one or the other: a tool's name is given once.
//
// /// indus-addon
// [[capability]]
// kind = "work_items"
// read = true
// write = true
// reason = "creates and updates work items of this folder"
// [[capability]]
// kind = "background_task"
// required = false
// reason = "watches them for what others do"
// [[capability]]
// kind = "model_notification"
// required = false
// reason = "tells the model what others did"
// [[capability]]
// kind = "alert"
// required = false
// reason = "warns the person when the watcher fails"
// ///

import {
  type AddonSurface,
  HostRefused,
  type WorkItem,
  type WorkItemChange,
  type WorkItemPriority,
  type WorkItemStatus,
} from "induscode/addons";

export const version = "1.0.0";

/** Its own name, but for where it lies. */
const OWN = /:work-items$/;
const STORE = [{ kind: "work_items", read: true, write: true }] as const;
const text = { type: "string" };
const ids = { type: "array", items: text };
type Schema = Parameters<AddonSurface["addTool"]>[0]["parameters"];
const STATUS = { enum: ["open", "blocked", "done", "failed"] };
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});

export function register({ addTool, addTask, host }: AddonSurface): void {
  const tool = <Input>(
    name: string,
    description: string,
    parameters: Schema,
    run: (input: Input) => Promise<string>,
  ): void =>
    addTool({
      ...{ name, description, parameters, requiredCapabilities: STORE },
      run: async (input: Input) => {
        try {
          return await run(input);
        } catch (error) {
          if (!(error instanceof HostRefused)) throw error; // what the host refuses is no fault of the addon
          return { content: [{ kind: "text", text: error.message }], isError: true };
        }
      },
    });

  tool<{ status?: WorkItemStatus; id?: string }>(
    "WorkItemList",
    "List the work items of this folder: what is to be done, what waits for what; with an id, all that was said about that one.",
    object({ status: STATUS, id: text }),
    async ({ status, id }) => {
      const found = (await host.workItemList(status)).filter((item) => id === undefined || item.id === id);
      if (found.length === 0)
        return id === undefined ? "No matching work items." : `Work item not found: ${id}.`;
      if (id !== undefined) return found.map(whole).join("\n");
      const done = new Set((await host.workItemList("done")).map((item) => item.id));
      return found.map((item) => line(item, done)).join("\n");
    },
  );
  tool<{ title: string; brief?: string; priority?: WorkItemPriority; deps?: string[] }>(
    "WorkItemCreate",
    "Create a work item: something to do in this folder.",
    object({ title: text, brief: text, priority: { enum: ["low", "normal", "high"] }, deps: ids }, ["title"]),
    async ({ title, brief, priority, deps }) =>
      `Created ${await host.workItemCreate(title, brief, priority, deps)}.`,
  );
  tool<{ id: string; text: string }>(
    "WorkItemComment",
    "Add a comment to a work item.",
    object({ id: text, text }, ["id", "text"]),
    async (input) => {
      await host.workItemComment(input.id, input.text);
      return "Added.";
    },
  );
  tool<{ id: string; to: WorkItemStatus; reason?: string }>(
    "WorkItemMove",
    "Set the status of a work item.",
    object({ id: text, to: STATUS, reason: text }, ["id", "to"]),
    async ({ id, to, reason }) => {
      await host.workItemMove(id, to, reason);
      return `${id} is ${to}.`;
    },
  );
  tool<{ id: string; on: string[] }>(
    "WorkItemDepend",
    "Make a work item depend on others. Cycles are refused.",
    object({ id: text, on: ids }, ["id", "on"]),
    async ({ id, on }) => {
      await host.workItemDepend(id, on);
      return `${id} waits for them.`;
    },
  );

  addTask({
    id: "work_item_watch",
    description: "notifies the model of changes that others make to work items",
    restart: "onFailure",
    requiredCapabilities: STORE,
    async run({ signal }) {
      try {
        let seen = (await host.workItemChanges()).at(-1)?.step ?? 0;
        while (!signal.aborted) {
          const changes = await host.workItemChanges(seen);
          seen = changes.at(-1)?.step ?? seen;
          const others = changes.filter(({ by }) => !OWN.test(by));
          if (others.length > 0) await host.notify(inWords(await host.workItemList(), others));
          await pause(2_000, signal);
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (!signal.aborted) await host.alert(`the work items are not watched for now: ${why}`);
        throw error;
      }
    },
  });
}

function line({ id, status, priority, title, deps }: WorkItem, done: ReadonlySet<string>): string {
  const waits = deps.filter((dep) => !done.has(dep));
  return `${id}  ${status}  ${priority}  ${title}${waits.length === 0 ? "" : `  (waits for ${waits.join(", ")})`}`;
}

function whole({
  id,
  status,
  priority,
  title,
  brief,
  deps,
  summary = "",
  comments,
  ...by
}: WorkItem): string {
  return [
    `${id}  ${status}  ${priority}  ${title}`,
    `by ${by.postedBy}, ${by.postedAt}${deps.length === 0 ? "" : `, after ${deps.join(", ")}`}`,
    ...[brief, summary].filter((part) => part !== ""),
    ...comments.map((comment) => `${comment.by}, ${comment.at}: ${comment.text}`),
  ].join("\n");
}

/** As many changes as somebody reads; a title is anybody's words. */
const MAX_TOLD = 20;

function inWords(items: readonly WorkItem[], changes: readonly WorkItemChange[]): string {
  const title = (id: string): string => JSON.stringify(items.find((item) => item.id === id)?.title ?? "");
  const lines = changes
    .slice(0, MAX_TOLD)
    .map(({ id, what, by }) => `${id} ${title(id)}: ${WORDS[what]} by ${by}`);
  const left = changes.length - lines.length;
  return ["Work items changed:", ...lines, ...(left > 0 ? [`and ${left} more changes`] : [])].join("\n");
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
