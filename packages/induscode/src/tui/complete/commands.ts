// Completes `/` and part of a name: the matching commands, and after a command's name the values that it takes.

import { printable } from "indusagi/core";
import { commandNames } from "../../console/find-command.ts";
import type { InstalledCommand } from "../../feature/command.ts";
import type { SessionHandles } from "../../feature/services.ts";
import { createBest } from "./best.ts";
import type { Completer, Suggestion, Suggestions, TypedInto } from "./contract.ts";
import { fit } from "./fuzzy.ts";

const MOST = 200;
const NAME = /^\/([^\s/]{0,80})$/;
const ARGUMENT = /^\/([^\s/]{1,80})[ \t]{1,8}([^\n]{0,200})$/;

/** `into` is called again at each key: features come and go. */
export function createCommandCompleter(into: () => TypedInto): Completer {
  return {
    look: (text, cursor): Suggestions | undefined => {
      if (!text.startsWith("/") || cursor !== text.length) return undefined;
      const { commands, handles } = into();
      const [, name] = NAME.exec(text) ?? [];
      if (name !== undefined) return { from: 0, to: cursor, items: named(commands, name, handles) };
      const [, of = "", typed = ""] = ARGUMENT.exec(text) ?? [];
      const command = commandNames(commands).get(of.toLowerCase());
      const values = command?.complete?.(typed, handles);
      if (!values || values.length === 0) return undefined;
      return { from: cursor - typed.length, to: cursor, items: valued(values, typed) };
    },
    onMore: () => undefined,
    close: () => undefined,
  };
}

function named(
  commands: readonly InstalledCommand[],
  typed: string,
  handles: SessionHandles,
): readonly Suggestion[] {
  const best = createBest<Suggestion>(MOST);
  // A bare name comes after the command's own in the map, so it is the one shown.
  const names = new Map(Array.from(commandNames(commands), ([name, command]) => [command, name]));
  const lower = typed.toLowerCase();
  for (const command of new Set(commands)) {
    const own = command.name.toLowerCase();
    const name = lower.includes(":") ? own : (names.get(command) ?? own);
    const score = typed === "" ? 0 : Math.max(fit(name, lower), fit(own, lower) - 100);
    if (!names.has(command) || score === Number.NEGATIVE_INFINITY) continue;
    const { argumentHint, summary, feature } = command;
    const isRequired = argumentHint !== undefined && !argumentHint.startsWith("[");
    // After Esc its bare name can be sent.
    const opens = command.picks === true && (command.complete?.("", handles).length ?? 0) > 0;
    best.add(
      {
        shown: printable(`/${name}${argumentHint === undefined ? "" : ` ${argumentHint}`}`),
        detail: printable(feature.startsWith("builtin:") ? summary : `${summary} (${feature})`),
        put: `/${name}${argumentHint === undefined ? "" : " "}`,
        ...(opens ? { opens } : isRequired ? {} : { isWhole: true as const }),
      },
      score,
    );
  }
  return best.all();
}

function valued(
  values: ReturnType<NonNullable<InstalledCommand["complete"]>>,
  typed: string,
): readonly Suggestion[] {
  const best = createBest<Suggestion>(MOST);
  for (const each of values) {
    const { value, detail } = typeof each === "string" ? { value: each, detail: "" } : each;
    best.add(
      {
        ...{ shown: printable(value), put: value, isWhole: true },
        detail: detail === "" ? undefined : printable(detail),
      },
      typed === "" ? 0 : fit(value, typed.toLowerCase()),
    );
  }
  return best.all();
}

/** The first of several that has an answer. */
export function firstOf(completers: readonly Completer[]): Completer {
  return {
    look: (text, cursor) => {
      for (const completer of completers) {
        const found = completer.look(text, cursor);
        if (found) return found;
      }
      return undefined;
    },
    onMore: (listener) => {
      for (const completer of completers) completer.onMore(listener);
    },
    close: () => {
      for (const completer of completers) completer.close();
    },
  };
}
