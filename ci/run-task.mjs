// A task for indus in a build service: what to do comes in variables, the answer goes where the service reads it. Needs Node 20.19, git,
// and `indus` on PATH; nothing else, so it can be copied into any pipeline.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";

const VARIABLES = ["PROMPT", "MODEL", "OUTPUT", "SCHEMA", "DIFF", "MODE", "ALLOW", "MAX_COST"].map(
  (name) => `INDUS_CI_${name}`,
);
const FILES = { comment: "indus-comment.md", patch: "indus.patch", json: "indus-verdict.json" };
const OUTPUTS = ["text", ...Object.keys(FILES)];
/** Of a range's changes, what the model is sent, in characters; it reads the rest itself. */
const MAX_DIFF_CHARS = 200_000;

const variable = (name, otherwise = "") => process.env[`INDUS_CI_${name}`]?.trim() || otherwise;
const output = variable("OUTPUT", "text");

/** The exit codes of indus that are told of here: docs/guide/exit-codes.md. */
const [EXIT_FAULT, EXIT_USAGE, EXIT_REFUSED] = [1, 2, 3];

/** Ends the step: a variable that cannot be meant, unless another code is given. */
class Refusal extends Error {
  constructor(message, code = EXIT_USAGE) {
    super(message);
    this.code = code;
  }
}

try {
  process.exitCode = main();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  tell(error.message);
  process.exitCode = error.code;
}

function main() {
  const unknown = Object.keys(process.env).find((name) => isOwn(name) && !VARIABLES.includes(name));
  if (unknown) throw new Refusal(`unknown variable ${unknown}; expected ${VARIABLES.join(", ")}`);
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
  const args = ["--json", "--permission-mode", mode];
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
  // Who ends early has not read all of its task; its own exit code says why.
  if (run.error && run.error.code !== "EPIPE")
    throw new Refusal(`indus cannot be run: ${run.error.message}`, EXIT_FAULT);
  if (run.signal) throw new Refusal(`indus was ended by ${run.signal}`, EXIT_FAULT);
  if (run.status !== 0 && run.status !== EXIT_REFUSED) return run.status; // stderr said why
  report(run.stdout.split("\n").filter(Boolean).map(eventIn));
  if (run.status === EXIT_REFUSED)
    tell(
      `the answer is there, but calls were refused, since nobody can be asked (exit code ${EXIT_REFUSED}); INDUS_CI_ALLOW takes rules for what may run`,
    );
  return run.status;
}

function eventIn(line) {
  try {
    return JSON.parse(line);
  } catch {
    throw new Refusal(`indus wrote a line that is not an event: ${line.slice(0, 200)}`, EXIT_FAULT);
  }
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
  const file = FILES[output];
  if (output === "comment") write(file, `${text}\n`);
  if (output === "json") write(file, `${JSON.stringify(value, null, 2)}\n`);
  if (output === "patch") write(file, patch());
  say("answer", answer);
  say("file", file ?? "");
  say("session", events.find(({ type }) => type === "session")?.id ?? "");
  say("cost", String(answers.reduce((sum, { cost = 0 }) => sum + cost, 0)));
  if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, `${text}\n`);
  print(answer);
}

/** What the repository has under this name may be a link to any file of the machine: it is replaced. */
function write(file, content) {
  rmSync(file, { force: true });
  writeFileSync(file, content, { flag: "wx" });
}

/** A line of the answer is no command to the build service. */
function print(answer) {
  const token = randomUUID();
  const [before, after] =
    process.env.GITHUB_ACTIONS === "true" ? [`::stop-commands::${token}\n`, `::${token}::\n`] : ["", ""];
  process.stdout.write(`${before}${answer}\n${after}`);
}

/** Everything that differs from the commit, new files too, but for answers of this step and of earlier ones. */
function patch() {
  const failed = (why) => new Refusal(`cannot make a patch: ${why}`, EXIT_FAULT);
  const paths = ["--", ".", ...Object.values(FILES).map((file) => `:!${file}`)];
  git(failed, "add", "--intent-to-add", ...paths);
  return git(failed, "diff", "--binary", "--no-color", "--no-ext-diff", "HEAD", ...paths);
}

function diffOf(range) {
  if (range === "") return "";
  if (range.startsWith("-")) throw new Refusal(`INDUS_CI_DIFF is not a git range: ${range}`);
  const failed = (why) => new Refusal(`INDUS_CI_DIFF: ${why}`);
  const diff = git(failed, "diff", "--no-color", "--no-ext-diff", range, "--");
  const cut = diff.length > MAX_DIFF_CHARS ? `\n(cut here: read the rest with git diff ${range})` : "";
  return `\n\nThe changes of ${range}:\n\n${diff.slice(0, MAX_DIFF_CHARS)}${cut}`;
}

/** What git prints; throws what `failed` makes of its reason. */
function git(failed, ...args) {
  const run = spawnSync("git", args, { encoding: "utf8", maxBuffer: 512 * 1024 * 1024 });
  if (run.error) throw failed(`git cannot be run: ${run.error.message}`);
  if (run.status === 0) return run.stdout;
  throw failed(`git ${args[0]} ended with ${run.signal ?? `exit code ${run.status}`}: ${run.stderr.trim()}`);
}

function tell(line) {
  process.stderr.write(`indus: ${line}\n`);
}

/** As the build service reads it; a line of the answer cannot begin another output. */
function say(name, value) {
  const end = `end-${randomUUID()}`;
  if (process.env.GITHUB_OUTPUT)
    appendFileSync(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

function withoutOwn(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOwn(name)));
}

function isOwn(name) {
  return name.startsWith("INDUS_CI_");
}
