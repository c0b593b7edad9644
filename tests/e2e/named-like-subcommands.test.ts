// The commands that are named like subcommands, because that is where people look for them: they do the same for the session in which
// they are typed.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createServedShared } from "../support/served-workplace.ts";

const MODEL = ["--model", "anthropic/scripted"] as const;
const CANARY = "canary-value-77aa21";

it("/export, /sessions and /usage do in a session what the subcommands do outside", async () => {
  const { run, cwd, logs } = await createServedShared([{ text: "An answer." }, { text: "A pelican." }]);
  await run(["-p", "an earlier question", ...MODEL]);
  mkdirSync(join(cwd, "folder"));
  const typed = [
    ...["/export early.md", `name a bird, not ${CANARY}`, "/export s.md", "/export", "/export folder"],
    ...["/sessions", "/sessions earlier", "/resume 1", "/usage", "/usage model", "/usage nonsense", "/quit"],
  ];
  const env = { ZOO_API_KEY: CANARY };
  const { code, stdout, stderr } = await run([...MODEL], { stdin: `${typed.join("\n")}\n`, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(logs()).toHaveLength(2);

  const id = /session (\S+)/.exec(stdout)?.[1] ?? "";
  expect(stdout).toContain("Nothing has been said in this session yet.");
  expect(stdout).toContain(`Written: ${join(cwd, "s.md")}\nKnown secrets are masked.`);
  expect(stdout).toContain(`Written: ${join(cwd, `${id}.html`)}\n`);
  expect(stdout).toContain(`Write /export ${join(cwd, "folder", `${id}.html`)}`);
  await run(["export", id, "-o", "same.md"]);
  const text = readFileSync(join(cwd, "s.md"), "utf8");
  expect(text).toBe(readFileSync(join(cwd, "same.md"), "utf8"));
  expect(text).toContain("A pelican.");
  expect(text).not.toContain(CANARY);

  expect(stdout).toMatch(/ 1 {2}name a bird.*\n[\s\S]* 2 {2}an earlier question/);
  expect(stdout).toMatch(/\n {4}1 {2}an earlier question[\s\S]*Usage: \/resume N/);
  const outside = async (...words: readonly string[]) => (await run(["usage", ...words])).stdout;
  expect(stdout).toContain(await outside());
  expect(stdout).toContain(await outside("--by", "model"));
  expect(stdout).toContain('Usage: /usage, or /usage with one of day, folder, model, addon; got "nonsense".');
});
