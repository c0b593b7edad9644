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
// ///

import type { AddonSurface, WorkItem, WorkItemPriority, WorkItemStatus } from "induscode/addons";

export const version = "1.0.0";

/** Its own name, but for where it lies. */
const OWN = /:work-items$/;
const STORE = [{ kind: "work_items", read: true, write: true }] as const;
const text = { type: "string" };
const ids = { type: "array", items: text };
type Schema = Parameters<AddonSurface["addTool"]>[0]["parameters"];
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
  ): void => addTool({ name, description, parameters, run, requiredCapabilities: STORE });

  tool<{ status?: WorkItemStatus }>(
    "WorkItemList",
    "List the work items of this folder.",
    object({ status: text }),
    async ({ status }) => (await host.workItemList(status)).map(line).join("\n") || "There are none.",
  );
  tool<{ title: string; brief?: string; priority?: WorkItemPriority; deps?: string[] }>(
    "WorkItemCreate",
    "Create a work item: something that is to be done in this folder.",
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
    "Say how a work item stands.",
    object({ id: text, to: { enum: ["open", "blocked", "done", "failed"] }, reason: text }, ["id", "to"]),
    async ({ id, to, reason }) => {
      await host.workItemMove(id, to, reason);
      return `${id} is ${to}.`;
    },
  );
  tool<{ id: string; on: string[] }>(
    "WorkItemDepend",
    "Say that a work item waits for others.",
    object({ id: text, on: ids }, ["id", "on"]),
    async ({ id, on }) => {
      await host.workItemDepend(id, on);
      return `${id} waits for them.`;
    },
  );

  addTask({
    id: "work_item_watch",
    description: "tells the model what others did to work items",
    restart: "onFailure",
    requiredCapabilities: STORE,
    async run({ signal }) {
      let seen = (await host.workItemChanges()).at(-1)?.step ?? 0;
      while (!signal.aborted) {
        const changes = await host.workItemChanges(seen);
        seen = changes.at(-1)?.step ?? seen;
        const others = changes.filter(({ by }) => !OWN.test(by));
        if (others.length > 0)
          await host.notify(others.map(({ id, what, by }) => `${id}: ${what} by ${by}`).join("\n"));
        await pause(2_000, signal);
      }
    },
  });
}

function line({ id, status, priority, title }: WorkItem): string {
  return `${id}  ${status}  ${priority}  ${title}`;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
