import { DOMParser, parseHTML } from "linkedom";
import { expect, it } from "vitest";
import { followScript } from "./follow-script.ts";

const turn = (number: number, ...parts: readonly string[]): string =>
  `<article class="turn" id="turn-${number}">${parts.map((part) => `<details class="call"><summary>${part}</summary></details>`).join("")}</article>`;

/** A page that shows the first of these, with its server at hand. */
function openPage(turns: readonly string[]) {
  const { document } = parseHTML(
    `<!doctype html><html><body><header></header><section id="turns">${turns[0]}</section></body></html>`,
  );
  const served = {
    turns,
    asked: [] as string[],
    reloads: 0,
    isReadable: true,
    waiting: [] as (() => void)[],
  };
  const listeners = new Map<string, (event: object) => void>();
  const globals = {
    document,
    DOMParser,
    innerHeight: 100,
    scrollY: 0,
    scrollTo: () => undefined,
    location: { reload: () => served.reloads++ },
    fetch: async (address: string) => {
      served.asked.push(address);
      const from = Number(address.split("=")[1]);
      return { ok: served.isReadable, text: async () => served.turns.slice(from).join("\n") };
    },
    setTimeout: (run: (state: object) => void, _ms: number, state: object) =>
      served.waiting.push(() => run(state)),
    EventSource: class {
      addEventListener(name: string, listener: (event: object) => void): void {
        listeners.set(name, listener);
      }
    },
  };
  new Function(...Object.keys(globals), followScript)(...Object.values(globals));
  const tell = async (state: object): Promise<void> => {
    listeners.get("message")?.({ data: JSON.stringify(state) });
    await new Promise((resolve) => setImmediate(resolve));
  };
  const shown = () => [...document.querySelectorAll("summary")].map(({ textContent }) => textContent);
  const status = () => document.querySelector("[role=status]")?.textContent;
  return { document, served, tell, shown, status, lose: () => listeners.get("error")?.({}) };
}

it("adds turns and what came to the last one, keeps what is there as the reader left it, and says so", async () => {
  const { document, served, tell, shown, status, lose } = openPage([turn(1, "ls")]);
  await tell({ size: 1, branch: 0, isRunning: false });
  expect(status()).toBe("The session is not running, turn 1");
  document.querySelector("details")?.setAttribute("open", "");
  served.turns = [turn(1, "ls", "read"), turn(2, "edit")];
  await tell({ size: 2, branch: 0, isRunning: true });
  expect(shown()).toEqual(["ls", "read", "edit"]);
  expect(document.querySelector("details")?.hasAttribute("open")).toBe(true);
  expect(status()).toBe("The session is running, turn 2, new");
  served.turns = [turn(1, "ls", "read"), turn(2, "edit", "bash")];
  await tell({ size: 3, branch: 0, isRunning: true });
  expect(shown()).toEqual(["ls", "read", "edit", "bash"]);
  expect(served.asked).toEqual(["turns?from=0", "turns?from=0", "turns?from=1"]);
  lose();
  expect(status()).toBe("indus view has ended, or cannot be reached");
});

it("is loaded again once the conversation went on from an earlier turn", async () => {
  const { served, tell } = openPage([turn(1, "ls")]);
  await tell({ size: 1, branch: 0, isRunning: true });
  await tell({ size: 2, branch: 1, isRunning: true });
  expect([served.reloads, served.asked.length]).toEqual([1, 1]);
});

it("asks again for turns that could not be read", async () => {
  const { served, tell, shown } = openPage([turn(1, "ls")]);
  Object.assign(served, { turns: [turn(1, "ls", "read")], isReadable: false });
  await tell({ size: 2, branch: 0, isRunning: true });
  expect(shown()).toEqual(["ls"]);
  served.isReadable = true;
  served.waiting.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown()).toEqual(["ls", "read"]);
  expect(served.waiting).toEqual([]);
});
