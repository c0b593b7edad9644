// `permissions.json` in the home: what the person allowed for longer than a session, by the real path of the folder or everywhere. It
// only ever allows, so invalid entries are ignored, and reported.

import { createHash } from "node:crypto";
import { describeError, errorCode, isTable } from "indusagi/core";
import type { KeptAnswer, SessionApproval } from "../deck/contract.ts";
import { describeKept } from "../deck/permissions/kept-answers.ts";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { readJson } from "../store/json.ts";
import { updateFile } from "../store/replace-file.ts";

const FILE = HOME_FILES.permissions;

/** More than a person ever gives; every read checks each one. */
const MAX_ANSWERS = 2_000;

export interface ReadAnswers {
  readonly answers: readonly KeptAnswer[];
  readonly path: string;
  /** Problems with the file. */
  readonly problems: readonly string[];
}

export function readKeptAnswers(home: string): ReadAnswers {
  const path = homePath(home, "permissions");
  try {
    const { answers, left } = parse(path);
    const problems = left === 0 ? [] : [`${path}: ignored invalid entries: ${left}`];
    return { answers, path, problems };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { answers: [], path, problems: [] };
    return {
      answers: [],
      path,
      problems: [
        `${path} could not be read: ${describeError(error)}; you are asked again about what it allows`,
      ],
    };
  }
}

/** Changes the stored answers that every session shares. Rejects if the file cannot be read or written. */
export async function changeKeptAnswers(
  home: string,
  change: (answers: readonly KeptAnswer[]) => readonly KeptAnswer[],
): Promise<void> {
  const path = homePath(home, "permissions");
  await updateFile(path, () => {
    const answers = change(stored(path));
    if (answers.length > MAX_ANSWERS)
      throw new Error(`${path} already has ${MAX_ANSWERS} answers: remove some with indus permissions rm`);
    return `${JSON.stringify({ version: FILE.version, answers }, null, 2)}\n`;
  });
}

/** Adds an answer; an identical one is stored once. */
export function addKeptAnswer(home: string, answer: KeptAnswer): Promise<void> {
  const id = idOf(answer);
  return changeKeptAnswers(home, (answers) =>
    answers.some((each) => idOf(each) === id) ? answers : [...answers, answer],
  );
}

/** The answer's id: the same answer for the same folder has the same id. */
export function idOf(answer: KeptAnswer): string {
  const about = JSON.stringify([answer.folder ?? "", describeKept(answer)]);
  return createHash("sha256").update(about).digest("hex").slice(0, 8);
}

/** A damaged file is not overwritten: the person may want to repair it. */
function stored(path: string): readonly KeptAnswer[] {
  try {
    const { answers, left } = parse(path);
    if (left > 0) throw new Error(`${path} has invalid entries (${left}): fix or remove it first`);
    return answers;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function parse(path: string): { readonly answers: readonly KeptAnswer[]; readonly left: number } {
  const value = readJson(path, FILE.maxBytes);
  if (!isTable(value) || value.version !== FILE.version || !Array.isArray(value.answers))
    throw new Error(`expected { "version": ${FILE.version}, "answers": [...] }`);
  const answers = value.answers.filter(isKept);
  return { answers: answers.slice(0, MAX_ANSWERS), left: value.answers.length - answers.length };
}

function isKept(value: unknown): value is KeptAnswer {
  if (!isTable(value) || !(value.folder === undefined || isText(value.folder))) return false;
  if (value.approval === undefined) return isText(value.rule);
  return value.rule === undefined && isApproval(value.approval);
}

function isApproval(value: unknown): value is SessionApproval {
  if (!isTable(value) || !isText(value.tool)) return false;
  if (value.kind === "execute") return isText(value.command) && value.variables === undefined;
  if (value.kind === "network") return isText(value.host);
  if (value.kind === "delegate") return isText(value.agent);
  return (
    (value.kind === "read" || value.kind === "write") &&
    isText(value.place) &&
    typeof value.whole === "boolean"
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
