// The settings in a file that are valid, and a fault for each of the others: if a wrong or misspelt setting could lose a rule, it stops the
// start instead (decision 012).

import { isTable } from "indusagi/core";
import { PROVIDER_FIELDS, withWords } from "./models-file.ts";
import { type SettingFault, unknownSetting } from "./setting-fault.ts";
import { type Check, oneOf, type SettingRow, text, texts } from "./setting-row.ts";

const PROVIDER: Readonly<Record<string, Check>> = {
  id: text,
  kind: oneOf(["anthropic", "openai-compatible"]),
  ...PROVIDER_FIELDS,
  baseUrl: text, // it can name variables
};

/** The limit per group; further ones are counted in one line. */
const MAX_TOLD = 20;

/** The valid settings, checked one by one, and a fault for each of the others. */
export function keepValid(
  found: Record<string, unknown>,
  isOwn: boolean,
  rows: readonly SettingRow[],
): { readonly kept: Record<string, unknown>; readonly faults: readonly SettingFault[] } {
  const faults: SettingFault[] = [];
  const narrowing = guarding(rows, isOwn);
  const kept = keep(found, checksOf(rows), "");
  for (const { name, within } of rows) {
    const inner = kept[name];
    if (within && isTable(inner)) kept[name] = keep(inner, checksOf(within), `${name}.`);
  }
  if (Array.isArray(kept.providers)) kept.providers = kept.providers.flatMap(keepProvider);
  return { kept, faults };

  /** One with a mistake is ignored as a whole: without its address, its key would go elsewhere. */
  function keepProvider(found: unknown, at: number): readonly unknown[] {
    const given = { id: undefined, kind: undefined, ...(isTable(found) ? found : {}) };
    const good = keep(given, PROVIDER, `providers[${at}].`, "this provider");
    const isGood = Object.keys(given).every(
      (key) => Object.hasOwn(good, key) || !Object.hasOwn(PROVIDER, key),
    );
    return isGood ? [withWords(good)] : [];
  }

  function keep(
    from: Record<string, unknown>,
    checks: Readonly<Record<string, Check>>,
    prefix: string,
    ignored = "it",
  ): Record<string, unknown> {
    const good: Record<string, unknown> = {};
    let unknown = 0;
    for (const [key, item] of Object.entries(from)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
      if (!check) {
        if (++unknown <= MAX_TOLD)
          faults.push(
            unknownSetting(key, {
              prefix,
              known: Object.keys(checks),
              all: named(rows, () => true),
              narrowing,
            }),
          );
      } else {
        const expected = check(item);
        if (expected === undefined) good[key] = item;
        else if (!isOwn && check === texts && Array.isArray(item)) {
          good[key] = item.filter((each) => typeof each === "string");
          faults.push({
            problem: `"${prefix}${key}" must be ${expected}; the others are ignored`,
            letsMorePass: narrowing.includes(prefix + key),
          });
        } else
          faults.push({
            problem: `"${prefix}${key}" must be ${expected}; ${ignored} is ignored`,
            letsMorePass: narrowing.includes(prefix + key),
          });
      }
    }
    if (unknown > MAX_TOLD)
      faults.push({
        problem: `${unknown - MAX_TOLD} more names ${prefix === "" ? "" : `in "${prefix.slice(0, -1)}" `}are not settings`,
        letsMorePass: true, // nobody has looked at them individually
      });
    return good;
  }
}

/** Settings whose loss would let more pass than the file says. */
function guarding(rows: readonly SettingRow[], isOwn: boolean): readonly string[] {
  const isGuard = ({ guards }: SettingRow): boolean => guards === "any" || (isOwn && guards === "own");
  return named(rows, isGuard);
}

function checksOf(rows: readonly SettingRow[]): Readonly<Record<string, Check>> {
  return Object.fromEntries(rows.map(({ name, check }) => [name, check]));
}

/** The names of these settings, those in groups after all others. */
function named(rows: readonly SettingRow[], isWanted: (row: SettingRow) => boolean): readonly string[] {
  const inner = rows.flatMap(({ name, within = [] }) =>
    within.filter(isWanted).map((row) => `${name}.${row.name}`),
  );
  return [...rows.filter(isWanted).map(({ name }) => name), ...inner];
}
