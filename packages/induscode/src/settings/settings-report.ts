// `/settings`: the value of each setting, where it comes from, and what it does.

import { nearest } from "indusagi/core";
import type { Settings, WrittenRule } from "./load-settings.ts";
import { type SettingRow, settingOf } from "./setting-row.ts";

export interface SettingsHere {
  readonly settings: Settings;
  readonly table: readonly SettingRow[];
  readonly rules?: readonly WrittenRule[];
}

/** All settings, or the one that is named. */
export function settingsReport({ settings, table, rules = [] }: SettingsHere, name: string): string {
  const wanted = name === "" ? table : table.filter((row) => row.name === name);
  if (wanted.length === 0) {
    const near = nearest(
      name,
      table.map((row) => row.name),
    );
    return `"${name}" is not a setting.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  }
  const widest = Math.max(...wanted.map((row) => row.name.length));
  return wanted
    .map((row) => {
      const { name: each, does, otherwise } = row;
      const value = settingOf(settings, row);
      const shown =
        each === "permissions" && rules.length > 0
          ? `the mode ${settings.permissions?.mode ?? "auto, by default"}, and these rules`
          : value === undefined
            ? `${otherwise} (default)`
            : `${shownValue(each, value)} (settings.json)`;
      const line = `  ${each.padEnd(widest)}  ${shown}\n  ${" ".repeat(widest)}  ${does}`;
      return [line, ...(each === "permissions" ? rules.map(placed) : [])].join("\n");
    })
    .join("\n");
}

/** A rule with its location and layer. */
function placed({ list, source, file, layer }: WrittenRule): string {
  return `    ${list} ${source}  (${layer}: ${file})`;
}

const MOST = 300;

function shownValue(name: string, value: unknown): string {
  // A provider's entry can contain its key.
  const safe =
    name === "providers" && Array.isArray(value)
      ? value.map(({ id, kind }: { id?: unknown; kind?: unknown }) => ({ id, kind }))
      : value;
  const text = JSON.stringify(safe);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
