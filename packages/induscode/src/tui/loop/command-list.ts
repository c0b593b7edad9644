// A list of all commands, found by their names or by what they do. Choosing one runs it, or writes its beginning where it needs more.

import { printable } from "indusagi/core";
import { commandNames } from "../../console/find-command.ts";
import type { ConsoleList, InstalledCommand, PickItem } from "../../feature/command.ts";
import { fit } from "../complete/fuzzy.ts";

interface CommandListParts extends ConsoleList {
  readonly commands: readonly InstalledCommand[];
  /** Sends a line as if it had been typed. */
  readonly send: (line: string) => void;
}

interface CommandItem extends PickItem {
  readonly command: InstalledCommand;
}

export async function showCommandList({ commands, pick, write, send }: CommandListParts): Promise<void> {
  const chosen = await pick("Which command?", (typed) => commandsLike(commands, typed));
  if (!chosen) return;
  const { name, argumentHint } = chosen.command;
  const isWhole = argumentHint === undefined || argumentHint.startsWith("[");
  if (isWhole) send(`/${name}`);
  else write(`/${name} `);
}

/** Those whose names are like it come first, then those whose descriptions contain it. */
function commandsLike(commands: readonly InstalledCommand[], typed: string): readonly CommandItem[] {
  const wanted = typed.trim().toLowerCase();
  const reachable = [...new Set(commandNames(commands).values())];
  return reachable
    .map((command) => {
      const byName = wanted === "" ? 0 : fit(command.name.toLowerCase(), wanted);
      const isDescribed = command.summary.toLowerCase().includes(wanted);
      const score =
        byName > Number.NEGATIVE_INFINITY ? byName : isDescribed ? Number.MIN_SAFE_INTEGER : undefined;
      return { command, score };
    })
    .flatMap(({ command, score }) => (score === undefined ? [] : [{ item: itemOf(command), score }]))
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function itemOf(command: InstalledCommand): CommandItem {
  const { name, argumentHint, summary, feature } = command;
  return {
    command,
    label: printable(`/${name}${argumentHint === undefined ? "" : ` ${argumentHint}`}`),
    detail: printable(feature.startsWith("builtin:") ? summary : `${summary} (${feature})`),
  };
}
