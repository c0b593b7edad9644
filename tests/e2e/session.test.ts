import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../packages/induscode/src/conductor/contract.ts";
import { verifyEntries } from "../../packages/induscode/src/conductor/verify.ts";
import { createSharedWorkplace, readLog } from "../support/indus.ts";
import { isLong, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import type { RecordedRequest, Script } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

describe("going on with a session", () => {
  it("-c continues the newest session of this folder, -r the named one", async () => {
    const { run, server, logs } = await createServedShared([
      { text: "one" },
      { text: "two" },
      { text: "three" },
      { text: "four" },
    ]);
    await run(["-p", "first session", ...MODEL]);
    await run(["-p", "second session", ...MODEL]);
    await run(["-p", "and more", "-c", ...MODEL]);
    const [firstLog] = logs();
    const id = /([^/]+)\.jsonl$/.exec(firstLog ?? "")?.[1] ?? "";
    await run(["-p", "back again", "-r", id.slice(0, -2), ...MODEL]);
    expect(sent(server.requests[2])).toMatch(/second session.*two.*and more/);
    expect(sent(server.requests[3])).toMatch(/first session.*one.*back again/);
    expect(sent(server.requests[3])).not.toContain("second session");
    expect(logs()).toHaveLength(2);
    for (const path of logs()) expect(verifyEntries(readLog(path)).mismatches).toEqual([]);
  });

  it("does not find another folder's session", async () => {
    const { run, file } = await createServedShared([{ text: "one" }]);
    file("sub/x", "");
    await run(["-p", "here", ...MODEL]);
    const { code, stderr } = await run(["-p", "there", "-c", "--cwd", "sub", ...MODEL]);
    expect(code).toBe(1);
    expect(stderr).toContain("no sessions in ");
  });

  it("repairs a torn log, says what damaged lines it left out, and goes on", async () => {
    const { run, logs, server } = await createServedShared([{ text: "one" }, { text: "two" }]);
    await run(["-p", "hello", ...MODEL]);
    const [path = ""] = logs();
    const lines = readFileSync(path, "utf8").split("\n");
    lines.splice(2, 0, "\0".repeat(100));
    writeFileSync(path, lines.join("\n"));
    appendFileSync(path, '{"n":99,"type":"us');
    const { code, stderr } = await run(["-p", "go on", "-c", ...MODEL]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /the session \S+ has 1 damaged line, skipped; ended with 18 bytes of an incomplete entry, cut off/,
    );
    expect(sent(server.requests[1])).toMatch(/hello.*one.*go on/);
  });
});

describe("kill -9", () => {
  const ROUNDS = isLong ? 20 : 3;

  // A program that reads --json has been told of every entry that it has read: none of those may be missing afterwards.
  it(`at ${ROUNDS} moments of a run: no entry that anyone was told of is lost, and the session goes on`, async () => {
    const script: Script = (request) => {
      const calls = (JSON.stringify(request.body.messages).match(/"tool_use"/g) ?? []).length;
      if (JSON.stringify(request.body.messages).includes("are you still there")) return { text: "yes" };
      return calls < 30 ? { text: "more ", pieces: 5, calls: [{ name: "ls", input: {} }] } : { text: "done" };
    };
    const { server } = await createServedShared(script);
    for (let round = 0; round < ROUNDS; round++) {
      const place = createSharedWorkplace(server.url);
      const told: Entry[] = [];
      let killed = false;
      await place.run(["-p", "--json", "work", ...MODEL], {
        onStart: (child) => {
          if (!child.stdout) throw new Error("no stdout");
          // Spread over the run.
          let lines = 0;
          createInterface({ input: child.stdout }).on("line", (line) => {
            const event = JSON.parse(line) as Entry;
            if (event.n === undefined && told.length === 0) return; // the session line comes before its log
            if (event.n !== undefined) told.push(event);
            if (++lines > (round * 240) / ROUNDS && !killed) {
              killed = true;
              child.kill("SIGKILL");
            }
          });
        },
      });
      expect(killed).toBe(true);
      const [path = ""] = place.logs();
      const kept = new Map(readLog(path).map((entry) => [entry.n, entry]));
      for (const entry of told) expect(kept.get(entry.n)).toEqual(entry);
      expect(verifyEntries(readLog(path)).mismatches).toEqual([]);
      const { code, stdout } = await place.run(["-p", "are you still there", "-c", ...MODEL]);
      expect({ round, code, stdout }).toEqual({ round, code: 0, stdout: "yes\n" });
      expect(verifyEntries(readLog(path)).mismatches).toEqual([]);
    }
  }, 120_000);

  it("a call that was running is told to the model as interrupted, never left open", LONG_ONLY, async () => {
    const { run, server, cwd } = await createServedShared((request) =>
      JSON.stringify(request.body.messages).includes("go on")
        ? { text: "ok" }
        : { calls: [{ id: "call_1", name: "bash", input: { command: "touch begun; exec sleep 60" } }] },
    );
    await run(["-p", "start", "--permission-mode", "bypass", ...MODEL], {
      onStart: (child) =>
        void until(() => existsSync(join(cwd, "begun"))).finally(() => child.kill("SIGKILL")),
    });
    await run(["-p", "go on", "-c", ...MODEL]);
    expect(sent(server.requests.at(-1))).toContain("The program ended before this call finished.");
  });
});

describe("stopping", () => {
  it.each(
    rows(
      [
        ["SIGINT", 130],
        ["SIGTERM", 143],
        ["SIGHUP", 129],
      ] as const,
      theFirst,
    ),
  )(
    "%s ends a run at once with %i; the command is gone, the log says so and goes on",
    async (signal, exitCode) => {
      const { run, entries, cwd } = await createServedShared((request) =>
        JSON.stringify(request.body.messages).includes("again")
          ? { text: "ok" }
          : { calls: [{ name: "bash", input: { command: "echo $$ >pid; exec sleep 300" } }] },
      );
      const path = join(cwd, "pid");
      const pid = (): number => Number(existsSync(path) ? readFileSync(path, "utf8") : "");
      const { code } = await run(["-p", "sleep", "--permission-mode", "bypass", ...MODEL], {
        onStart: (child) => void until(() => pid() > 0).finally(() => child.kill(signal)),
      });
      expect(code).toBe(exitCode);
      expect(entries().at(-1)).toMatchObject({ type: "end", how: "aborted" });
      expect(entries().at(-2)).toMatchObject({ type: "tool", state: "cancelled" });
      expect(() => process.kill(pid(), 0)).toThrow("ESRCH");
      expect((await run(["-p", "again", "-c", ...MODEL])).stdout).toBe("ok\n");
    },
  );

  it("stops after --max-turns model calls with a clear fault", async () => {
    const { run, entries } = await createServedShared(() => ({ calls: [{ name: "ls", input: {} }] }));
    const { code, stderr } = await run(["-p", "loop", "--max-turns", "3", ...MODEL]);
    expect(code).toBe(1);
    expect(stderr).toContain("Stopped after 3 model calls");
    expect(entries().at(-1)).toMatchObject({ type: "end", how: "turn_budget" });
  });
});

describe("cassettes", () => {
  it("record a real run and play it back without the server", async () => {
    const { run, file, server, cwd } = await createServedShared([
      { text: "Looking.", calls: [{ name: "read", input: { path: "a.txt" } }] },
      { text: "It says hello." },
    ]);
    file("a.txt", "hello");
    const live = await run(["-p", "what does it say", "--record", "tape.jsonl", ...MODEL]);
    await server.close();
    const played = await run(["-p", "what does it say", "--cassette", "tape.jsonl"]);
    expect(live.stdout).toBe("It says hello.\n");
    expect(played).toMatchObject({ code: 0, stdout: live.stdout });
    expect(readFileSync(`${cwd}/tape.jsonl`, "utf8").trimEnd().split("\n")).toHaveLength(3);
  });

  it("say so when they end before the work does", async () => {
    const { run, file } = createSharedWorkplace();
    file("tape.jsonl", `{"cassette":1,"about":"x"}\n`);
    const { code, stderr } = await run(["-p", "hello", "--cassette", "tape.jsonl"]);
    expect(code).toBe(1);
    expect(stderr).toContain("The recording ends after turn 0");
  });
});
