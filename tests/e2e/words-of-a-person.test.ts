// What a person says reaches the model as it was said, or it is told by name why not: through the real command.

import { mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { LONG_ONLY } from "../support/long-form.ts";
import type { RecordedRequest } from "../support/model-server.ts";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const sent = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body.messages);

describe("standard input that stays open", () => {
  it("is left after a while if there is a task without it, and that is said", async () => {
    const place = await createServedShared([{ text: "done" }]);
    const { code, stdout, stderr } = await place.run(["-p", "go", ...MODEL], { holdsStdin: true });
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(stderr).toContain("standard input sent nothing within 3 s, so it is ignored");
  });
});

describe("files that the task names with @", () => {
  it("are attached, as in a console; words that are no file stay words", async () => {
    const place = await createServedShared([{ text: "done" }]);
    place.file("n.txt", "the note");
    await place.run(["-p", "see @n.txt and @nobody, me@n.txt", ...MODEL]);
    expect(sent(place.server.requests[0])).toContain('<file path=\\"n.txt\\">\\nthe note');
    expect(sent(place.server.requests[0]).match(/<file path/g)).toHaveLength(1);
  });

  it("are not attached where standard input names them: it may be anybody's words", async () => {
    const place = await createServedShared([{ text: "done" }]);
    place.file("n.txt", "the note");
    await place.run(["-p", "look", ...MODEL], { stdin: "see @n.txt" });
    expect(sent(place.server.requests[0])).toContain("see @n.txt");
    expect(sent(place.server.requests[0])).not.toContain("the note");
  });

  it("that cannot be attached are told", async () => {
    const place = await createServedShared([{ text: "done" }]);
    place.bytes("b.bin", Buffer.from([0xff, 0x00, 0xfe]));
    const { code, stderr } = await place.run(["-p", "see @b.bin", ...MODEL]);
    expect(code).toBe(0);
    expect(stderr).toContain("@b.bin is neither UTF-8 text nor");
  });
});

describe("a command's text and its arguments", () => {
  it("reach the model with their money, their lines and their quotes; instructions with what they import", async () => {
    const place = await createServedShared([{ text: "done" }]);
    place.file(".indus/commands/spend.md", "Budget $36,000, $5.00 a day. In $1:\n{{arg.rest}}");
    place.file("docs/house style.md", "the house style");
    place.file("AGENTS.md", '@import "docs/house style.md" and @<docs/gone by.md>');
    await place.run(["-p", '/spend p.py don\'t touch\n\n  x = "a  b"', ...MODEL]);
    expect(sent(place.server.requests[0])).toContain(
      JSON.stringify('Budget $36,000, $5.00 a day. In p.py:\ndon\'t touch\n\n  x = "a  b"').slice(1, -1),
    );
    expect(JSON.stringify(place.server.requests[0]?.body)).toContain("the house style");
    expect((await place.run(["doctor"])).stdout).toContain("@docs/gone by.md");
  });
});

describe("a folder that was renamed", () => {
  it("has its sessions by their id, from wherever they began, and -c says which", async () => {
    const place = await createServedShared([{ text: "one" }, { text: "two" }]);
    const [a, b] = [join(place.cwd, "a"), join(place.cwd, "b")];
    mkdirSync(a);
    await place.run(["-p", "begin here", "--cwd", a, ...MODEL]);
    const id = basename(place.logs().at(-1) ?? "", ".jsonl");
    renameSync(a, b);
    const bare = await place.run(["-p", "go on", "-c", "--cwd", b, ...MODEL]);
    expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining(`${a} is gone and had sessions`) });
    expect(bare.stderr).toContain(`indus -r ${id}`);
    expect((await place.run(["sessions", "--cwd", b])).stdout).toContain(`indus -r ${id}`);
    const { code, stdout, stderr } = await place.run(["-p", "go on", "-r", id, "--cwd", b, ...MODEL]);
    expect([code, stdout]).toEqual([0, "two\n"]);
    expect(stderr).toContain(`started in ${a}, which is gone; it continues in ${b}`);
    expect(sent(place.server.requests[1])).toContain("begin here");
    expect((await place.run(["export", id, "--cwd", b, "-o", "-"])).stdout).toContain("begin here");
    const other = await place.run(["-p", "x", "-r", "20250101", "--cwd", b, ...MODEL]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('session "20250101" not found') });
  });
});

describe("a text beyond the model's window", () => {
  const LONG = `${"x y z ".repeat(30_000)}\nQUESTION\n${"x y z ".repeat(30_000)}`;
  /** A server that takes no more than this, as a provider says it. */
  const limited = (request: RecordedRequest) =>
    request.rawBody.length > 180_000
      ? ({
          trouble: {
            kind: "status",
            status: 400,
            message: "prompt is too long: 120000 tokens > 64000 maximum",
          },
        } as const)
      : { text: "done" };

  it("is refused with numbers, and is not replaced by a summary", async () => {
    const place = await createServedShared(limited);
    const { code, stderr } = await place.run(["-p", ...MODEL], { stdin: LONG });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /Your text takes about 12\d\.\dk tokens, and the prompt with the tools \d+ tokens/,
    );
    expect(place.server.requests.filter(({ rawBody }) => rawBody.length < 180_000)).toHaveLength(0);
  });

  it("does not keep the session from going on", LONG_ONLY, async () => {
    const place = await createServedShared(limited);
    await place.run(["-p", ...MODEL], { stdin: LONG });
    const { code, stdout } = await place.run(["-p", "-c", "shorter now", ...MODEL]);
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(sent(place.server.requests.at(-1))).toContain("shorter now");
  });

  it("stays whole where a long session before it makes room", LONG_ONLY, async () => {
    const place = await createServedShared(limited);
    for (const at of [1, 2, 3])
      await place.run(["-p", ...(at > 1 ? ["-c"] : []), ...MODEL], { stdin: `${at} ${"w ".repeat(20_000)}` });
    const line = `${"v ".repeat(25_000)} THE QUESTION ${"v ".repeat(25_000)}`;
    const { code, stdout } = await place.run(["-p", "-c", ...MODEL], { stdin: line });
    expect([code, stdout]).toEqual([0, "done\n"]);
    expect(sent(place.server.requests.at(-1))).toContain(line.trim());
  });
});
