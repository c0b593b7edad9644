// What servers' refusals have taught about their models: a field that a model does not take, something that it requires. What one
// model refuses another on the same server may need, so lessons are kept per model; a book may outlive the process.

import { trimEndOf } from "../core/trim-ends.ts";
import type { ModelResult } from "./contract.ts";
import { refusedWith } from "./wire-call.ts";

/** Keeps lessons by teacher: a server and a model, in one string. */
export interface LessonBook {
  readonly recall: (who: string) => readonly string[];
  readonly note: (who: string, lesson: string) => void;
}

/** A book that lasts as long as the process. */
export function createLessonBook(): LessonBook {
  const lessons = new Map<string, readonly string[]>();
  const recall: LessonBook["recall"] = (who) => lessons.get(who) ?? [];
  return { recall, note: (who, lesson) => void lessons.set(who, [...recall(who), lesson]) };
}

export interface Lesson<Name extends string> {
  readonly name: Name;
  /** The wording of the refusal that teaches it. */
  readonly when: RegExp;
  /** What the person loses by it; absent if it is nothing they asked for. */
  readonly loses?: string;
}

export interface Lessons<Name extends string> {
  readonly about: (model: string) => ReadonlySet<Name>;
  /** Whether `result` taught something new about `model`, so that it is worth asking again. */
  readonly learn: (model: string, result: ModelResult, onRemark?: (text: string) => void) => boolean;
}

/** The name under which a book keeps what is learnt about a model at a base address: one host may have several servers. */
export function teacherOf(baseUrl: string, model: string): string {
  const { host, pathname } = new URL(baseUrl);
  return `${host}${trimEndOf(pathname, (character) => character === "/")} ${model}`;
}

/** The lessons of one server; each is learnt once, so a request is repeated a few times at most. */
export function createLessons<Name extends string>(
  rows: readonly Lesson<Name>[],
  {
    baseUrl,
    book = createLessonBook(),
  }: { readonly baseUrl: string; readonly book?: LessonBook | undefined },
): Lessons<Name> {
  const models = new Map<string, Set<Name>>();
  const about = (model: string): Set<Name> => {
    const known = models.get(model);
    if (known) return known;
    const recalled = book.recall(teacherOf(baseUrl, model));
    const names = new Set(rows.flatMap(({ name }) => (recalled.includes(name) ? [name] : [])));
    models.set(model, names);
    return names;
  };
  return {
    about,
    learn(model, result, onRemark) {
      const known = about(model);
      const taught = rows.find(({ name, when }) => !known.has(name) && refusedWith(result, when));
      if (!taught) return false;
      known.add(taught.name);
      book.note(teacherOf(baseUrl, model), taught.name);
      if (taught.loses !== undefined)
        onRemark?.(`${model} does not support ${taught.loses}; requests to it omit this from now on.`);
      return true;
    },
  };
}
