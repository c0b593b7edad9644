// `indus permissions`: the answers that were kept for longer than a session: lists them and what each covers, changes them and takes them
// back.

import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { EXIT_FAULT, EXIT_OK, EXIT_USAGE, Problem } from "../../cli/problem.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { KeptAnswer } from "../../deck/contract.ts";
import { describeKept, prefixRule } from "../../deck/permissions/kept-answers.ts";
import { OUTSIDE } from "../../feature/tool-names.ts";
import { changeKeptAnswers, idOf, readKeptAnswers } from "../../settings/answers-file.ts";
import { indusHome } from "../../store/home.ts";
import { appliesIn, keptList, keptWhere } from "./kept-report.ts";

export async function runPermissions(
  line: Invocation<{ readonly all?: boolean | undefined; readonly yes?: boolean | undefined }>,
): Promise<number> {
  if (line.words[1] === "import") return (await import("./run-import.ts")).runImport(line);
  const { flags, words, env } = line;
  const home = indusHome(env);
  const cwd = workingDirectory(line);
  const { answers, problems, path } = readKeptAnswers(home);
  for (const problem of problems) process.stderr.write(noticeLine(problem));
  const [, action = "list", id = "", pattern] = words;
  if (action === "list") {
    const shown = answers.filter((each) => flags.all === true || appliesIn(each, cwd));
    const text = flags.json
      ? JSON.stringify(
          shown.map((each) => ({ id: idOf(each), ...each })),
          undefined,
          2,
        )
      : keptList(shown, answers.length - shown.length);
    process.stdout.write(`${text}\n`);
    return EXIT_OK;
  }
  const found = answers.find((each) => idOf(each) === id);
  if (!found) {
    process.stderr.write(
      `indus: answer "${printableLine(id, 40)}" not found in ${path}; indus permissions --all lists them all\n`,
    );
    return EXIT_FAULT;
  }
  if (action === "explain") {
    process.stdout.write(
      `${explained(found, path)
        .map((each) => printableLine(each))
        .join("\n")}\n`,
    );
    return EXIT_OK;
  }
  const next = action === "edit" ? edited(found, pattern ?? "") : undefined;
  await changeKeptAnswers(home, (stored) =>
    stored.flatMap((each) => (idOf(each) !== id ? [each] : next === undefined ? [] : [next])),
  );
  const told =
    next === undefined
      ? `Removed ${describeKept(found)}; sessions that start from now on ask again.`
      : `${idOf(next)}  ${describeKept(next)}${keptWhere(next)}`;
  process.stdout.write(`${printableLine(told)}\n`);
  return EXIT_OK;
}

function explained(answer: KeptAnswer, path: string): readonly string[] {
  const isRule = "rule" in answer;
  return [
    `${describeKept(answer)}${keptWhere(answer)}`,
    isRule
      ? "  covers commands that start with these words, in the working directory itself, also as parts of a line; but no option that makes a program do something else"
      : "  covers exactly what was shown, and nothing that only starts with the same words",
    answer.folder === undefined
      ? "  applies in every folder"
      : `  applies where the real path of the working directory is ${answer.folder}, however the folder is reached`,
    "  rules that deny or ask take precedence, whoever wrote them",
    `  kept in ${path}; indus permissions rm ${idOf(answer)} removes it`,
  ];
}

/** How a rule names what the answer is about: a changed answer does not leave the sandbox if it did not before. */
function ruledTool(answer: KeptAnswer): string {
  if ("rule" in answer) return answer.rule.slice(0, answer.rule.indexOf("("));
  const { approval } = answer;
  if (approval.kind === "execute") return approval.outside ? OUTSIDE : approval.tool;
  throw new Problem(`${describeKept(answer)} is not about a command: remove it and answer again`, EXIT_USAGE);
}

function edited(answer: KeptAnswer, pattern: string): KeptAnswer {
  const rule = prefixRule(ruledTool(answer), pattern);
  if ("problem" in rule) throw new Problem(rule.problem, EXIT_USAGE);
  return { folder: answer.folder, rule: rule.source };
}
