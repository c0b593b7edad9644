import { expect, it } from "vitest";
import type { Conductor, UserContent } from "../../conductor/contract.ts";
import { NO_USAGE } from "../../conductor/usage.ts";
import { createTasks } from "./tasks.ts";
import { createWaitingLines, typedLine } from "./waiting-lines.ts";

type Parts = Parameters<typeof createTasks>[0];
type Session = Parameters<ReturnType<typeof createTasks>["run"]>[0];

const textsOf = (content: UserContent): string =>
  content.map((part) => (part.kind === "text" ? part.text : part.kind)).join(" ");

it("a line typed after one with an image does not overtake it, even where the task ends first", async () => {
  let readImage = (): void => undefined;
  const hasRead = new Promise<void>((resolve) => {
    readImage = resolve;
  });
  let endTask = (): void => undefined;
  const steered: string[] = [];
  const submitted: string[] = [];
  const waiting: UserContent[] = [];
  const lines = createWaitingLines();
  let leave = (): void => undefined;
  const leaving = new Promise<undefined>((resolve) => {
    leave = () => {
      lines.end();
      resolve(undefined);
    };
  });
  const conductor = {
    subscribe: () => () => undefined,
    status: () => ({ busy: false }),
    steer: (content: UserContent) => {
      steered.push(textsOf(content));
      waiting.push(content);
    },
    waiting: () => waiting,
    takeBack: () => waiting.splice(0),
    submit: ({ content }: { readonly content: UserContent }) => {
      submitted.push(textsOf(content));
      if (submitted.length > 1) leave();
      return new Promise((resolve) => {
        endTask = () => resolve({ kind: "complete" });
      });
    },
  } as unknown as Conductor;
  const tasks = createTasks({
    transcript: {
      show: () => undefined,
      sent: () => undefined,
      beginSubmit: () => undefined,
      endSubmit: () => ({ totals: { turns: 0, usage: NO_USAGE, dollars: 0, unpriced: 0 } }),
    } as unknown as Parts["transcript"],
    stage: { draw: () => undefined, change: () => undefined, columns: () => 80 },
    lines,
    desk: {
      contentOf: async ({ text }) => {
        await hasRead;
        return { content: [{ kind: "text", text: `${text} (image)` }], problems: [] };
      },
    },
    say: () => undefined,
    notify: () => undefined,
    onChange: () => undefined,
    leaving,
    list: {} as Parts["list"],
    opensByItself: () => undefined,
    now: () => 0,
  });
  const ended = tasks.run({
    conductor,
    commands: () => [],
    firstTask: [{ kind: "text", text: "the task" }],
  } as unknown as Session);
  tasks.send({ text: "this", shown: "this", images: ["a.png"] });
  tasks.send(typedLine("and that"));
  expect(steered).toEqual([]);
  endTask();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  readImage();
  await ended;
  expect(steered).toEqual(["this (image)", "and that"]);
  expect(submitted[0]).toBe("the task");
  expect(submitted).toHaveLength(2);
});
