// `indus session verify [id]`: rebuilds every request of a session from its log and compares digests (invariant 1). Losses in the log
// count too: missing entries explain nothing.

import { describeError, printable } from "indusagi/core";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, Problem } from "../../cli/problem.ts";
import { counted, describeLater, newerFormatReason } from "../../conductor/log-reader.ts";
import { sessionFolder } from "../../conductor/sessions.ts";
import { toolChangeLines } from "../../conductor/tool-changes.ts";
import { findLogProblems, verifyLog } from "../../conductor/verify.ts";
import { findLog, folderOfLog } from "../../session/logs/session-log.ts";
import { indusHome } from "../../store/home.ts";

export async function runVerify(line: Invocation): Promise<number> {
  const { words, env } = line;
  const folder = sessionFolder(indusHome(env), workingDirectory(line));
  const path = findLog(folderOfLog(folder, words[2]), words[2], line.startedIn);
  const cannot = (why: string): Problem => new Problem(`the session log ${path} cannot be verified: ${why}`);
  let read: ReturnType<typeof verifyLog>;
  try {
    read = verifyLog(path);
  } catch (error) {
    throw cannot(describeError(error));
  }
  const { entries, damage, newerFormat, verification } = read;
  if (newerFormat !== undefined) throw cannot(newerFormatReason(newerFormat));
  const problems = findLogProblems(read, verification);
  process.stdout.write(
    `${path}\n${counted(entries.length, "entry", "entries")}, ${counted(verification.requests, "request")}, ` +
      `${counted(damage.lines + damage.salvaged, "damaged line")}\n`,
  );
  for (const what of describeLater(damage)) process.stdout.write(`${printable(`The log ${what}.`)}\n`);
  for (const line of toolChangeLines(entries)) process.stdout.write(`${printable(line)}\n`);
  if (problems.length === 0) {
    process.stdout.write("Every request is explained by the entries before it.\n");
    return EXIT_OK;
  }
  process.stdout.write(`${problems.join("\n")}\n`);
  const [first] = verification.mismatches;
  if (first !== undefined) {
    const { explainMismatch } = await import("./explain-mismatch.ts");
    process.stdout.write(`${printable(explainMismatch(path, entries, first).join("\n"))}\n`);
  }
  return EXIT_FAULT;
}
