// A task for indus in a build service: what to do comes in variables, the answer goes where the service reads it. Needs Node 20.19, git,
// and `indus` on PATH; nothing else, so it can be copied into any pipeline.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";

const OUTPUTS = ["text", "comment", "patch", "json"];
/** Of a range's changes, what the model is sent; it reads the rest itself. */
const MAX_DIFF_BYTES = 200_000;

const variable = (name, otherwise = "") => process.env[`INDUS_CI_${name}`]?.trim() || otherwise;
const output = variable("OUTPUT", "text");

class Refusal extends Error {}

try {
  process.exitCode = main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`indus: ${error.message}\n`);
  process.exitCode = 2;
}

function main() {
  const prompt = variable("PROMPT");
  if (prompt === "") throw new Refusal("INDUS_CI_PROMPT is empty: it says what to do");
  if (!OUTPUTS.includes(output))
    throw new Refusal(`INDUS_CI_OUTPUT takes ${OUTPUTS.join(", ")}; got "${output}"`);
  const schema = variable("SCHEMA");
  if ((output === "json") !== (schema !== ""))
    throw new Refusal(
      "INDUS_CI_SCHEMA, the file of a JSON Schema, goes with the output json, and only with it",
    );
  const changes = diffOf(variable("DIFF"));

  const mode = variable("MODE", output === "patch" ? "auto" : "read-only");
  const args = ["--json", "--permission-mode", mode, "--permission-prompt", "none"];
  if (variable("MODEL") !== "") args.push("--model", variable("MODEL"));
  if (variable("MAX_COST") !== "") args.push("--max-cost", variable("MAX_COST"));
  if (schema !== "") args.push("--output-schema", schema);
  for (const rule of variable("ALLOW")
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean))
    args.push("--allow", rule);

  // The task goes by stdin: a command line is readable for every process of the machine.
  const run = spawnSync("indus", args, {
    input: `${prompt}${changes}`,
    encoding: "utf8",
    maxBuffer: 512 * 1024 * 1024,
    stdio: ["pipe", "pipe", "inherit"],
    env: withoutOwn(process.env),
  });
  if (run.error) throw new Refusal(`indus cannot be started: ${run.error.message}`);
  const events = run.stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const ended = run.status ?? 1;
  if (ended !== 0 && ended !== 3) return ended; // stderr said why
  report(events);
  return ended;
}

function report(events) {
  const answers = events.filter(({ type }) => type === "assistant");
  const said = answers.at(-1)?.message?.content ?? [];
  const text = said
    .flatMap((block) => (block.kind === "text" ? [block.text] : []))
    .join("\n")
    .trim();
  const value = events.find(({ type }) => type === "output")?.value;
  const answer = output === "json" ? JSON.stringify(value) : text;
  const file = { comment: "indus-comment.md", patch: "indus.patch", json: "indus-verdict.json" }[output];
  if (output === "comment") writeFileSync(file, `${text}\n`);
  if (output === "json") writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  if (output === "patch") writeFileSync(file, patch());
  say("answer", answer);
  say("file", file ?? "");
  say("session", events.find(({ type }) => type === "session")?.id ?? "");
  say("cost", String(answers.reduce((sum, { cost = 0 }) => sum + cost, 0)));
  if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, `${text}\n`);
  process.stdout.write(`${answer}\n`);
}

/** Everything that differs from the commit, new files too. */
function patch() {
  git("add", "--intent-to-add", "--", ".", ":!indus.patch");
  return git("diff", "--binary", "HEAD", "--", ".", ":!indus.patch").stdout;
}

function diffOf(range) {
  if (range === "") return "";
  if (range.startsWith("-")) throw new Refusal(`INDUS_CI_DIFF is no range of git: ${range}`);
  const { status, stdout, stderr } = git("diff", "--no-color", "--no-ext-diff", range, "--");
  if (status !== 0) throw new Refusal(`INDUS_CI_DIFF: ${stderr.trim()}`);
  const cut = stdout.length > MAX_DIFF_BYTES ? `\n(cut here: read the rest with git diff ${range})` : "";
  return `\n\nThe changes of ${range}:\n\n${stdout.slice(0, MAX_DIFF_BYTES)}${cut}`;
}

function git(...args) {
  return spawnSync("git", args, { encoding: "utf8", maxBuffer: 512 * 1024 * 1024 });
}

/** As the build service reads it; a line of the answer cannot begin another output. */
function say(name, value) {
  const end = `end-${randomUUID()}`;
  if (process.env.GITHUB_OUTPUT)
    appendFileSync(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

function withoutOwn(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("INDUS_CI_")));
}
