// What a person saw or was told is in the log and in the next request: the real command, stopped in the middle.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { readLog } from "../support/indus.ts";
import { LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { openPlainConsole, openRichConsole } from "../support/open-console.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);
const WORDS = "The cache is filled by the first reader, and then ";
const isFirst: Script = ({ rawBody }, index) =>
  index === 0
    ? { text: WORDS.repeat(4), pieces: 8, trouble: { kind: "silence", after: 4 } }
    : { text: rawBody.includes("go on from there") ? "it stays." : "?" };

describe.each(rows(["anthropic/x", "openai/x"], theFirst))("an answer that was interrupted (%s)", (model) => {
  it.each(rows(["SIGINT", "SIGTERM", "SIGHUP"] as const, theFirst))("is there after %s", async (signal) => {
    const { run, server, entries, logs } = await createServedShared(isFirst);
    let shown = "";
    await run(["--json", "explain", "--model", model], {
      onStart: (child) => {
        if (!child.stdout) throw new Error("no stdout");
        createInterface({ input: child.stdout }).on("line", (line) => {
          const { type, text } = JSON.parse(line) as { readonly type: string; readonly text?: string };
          if (type === "delta") shown += text;
          if (shown.length >= WORDS.length * 2) child.kill(signal);
        });
      },
    });
    expect(shown).toBe(WORDS.repeat(2));
    expect(entries().at(-2)).toMatchObject({
      type: "assistant",
      stop: "interrupted",
      message: { content: [{ kind: "text", text: shown }] },
    });
    expect((await run(["-p", "-c", "go on from there", "--model", model])).stdout).toBe("it stays.\n");
    expect(sent(server.requests.at(-1))).toContain(shown.trim());
    expect((await run(["session", "verify"])).code).toBe(0);

    // The twin: a log that lacks it, as logs did, leaves "from there" without a meaning.
    const [log = ""] = logs();
    const kept = readLog(log).filter((entry) => entry.type !== "assistant" || entry.stop !== "interrupted");
    writeFileSync(log, kept.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    await run(["-p", "-c", "go on from there", "--model", model]);
    expect(sent(server.requests.at(-1))).not.toContain(WORDS.trim());
  });
});

it(
  "an answer that broke off for good is there as well, and what a retry took back is not",
  LONG_ONLY,
  async () => {
    const { run, server, settings } = await createServedShared((_request, index) => {
      if (index === 0)
        return {
          text: `first try ${WORDS}`,
          trouble: { kind: "error_event", after: 2, type: "overloaded_error", message: "busy" },
        };
      if (index === 1)
        return {
          text: `second try ${WORDS}`,
          pieces: 4,
          trouble: { kind: "error_event", after: 2, type: "invalid_request_error", message: "no" },
        };
      return { text: "ok" };
    });
    settings({});
    await run(["-p", "explain", "--model", "anthropic/x"]);
    await run(["-p", "-c", "go on", "--model", "anthropic/x"]);
    expect(sent(server.requests.at(-1))).toContain("second try");
    expect(sent(server.requests.at(-1))).not.toContain("first try");
  },
);

it.each(
  rows(
    [
      ["plain", openPlainConsole],
      ["rich", openRichConsole],
    ],
    theFirst,
  ),
)(
  "a line that the %s console took while the model worked survives kill -9, and is in the next request, once",
  async (_, open) => {
    const script: Script = ({ rawBody }, index) =>
      index === 0
        ? { calls: [{ name: "bash", input: { command: "touch begun; sleep 300" } }] }
        : { text: rawBody.includes("with tabs") ? "with tabs it is" : "?" };
    const { place, server, ...terminal } = await open(script, { args: ["--permission-mode", "bypass"] });
    terminal.type("format it\r");
    await until(() => existsSync(join(place.cwd, "begun")));
    terminal.type("with tabs, please\r");
    await terminal.waitFor("joins at the next step");
    terminal.signal("SIGKILL");
    await terminal.left;
    const { stdout, stderr } = await place.run(["-p", "-c", "go on", "--model", "anthropic/x"]);
    expect(stdout).toBe("with tabs it is\n");
    expect(stderr).toContain("1 line that you typed before it ended is added before your next line");
    const messages = sent(server.requests.at(-1));
    expect(messages.split("with tabs, please")).toHaveLength(2);
    expect(messages.indexOf("with tabs, please")).toBeLessThan(messages.indexOf('"go on"'));
    await place.run(["-p", "-c", "again", "--model", "anthropic/x"]);
    expect(sent(server.requests.at(-1)).split("with tabs, please")).toHaveLength(2);
    expect((await place.run(["session", "verify"])).code).toBe(0);
  },
);
