// What a person reads before a package is kept, and how an update differs from what they agreed to. All of it can quote the package: whoever
// prints it makes it printable.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { AddonDescription } from "../../addons/contract.ts";
import { plural } from "../../console/figures.ts";
import { capabilityInWords } from "../../feature/capabilities.ts";
import type { FetchedPackage } from "./fetch-package.ts";
import type { LockedPackage } from "./package-lock.ts";

/** What it asks for, one line each, as the lock file keeps it. */
export function asksOf({ capabilities }: Pick<AddonDescription, "capabilities">): readonly string[] {
  return capabilities.map(
    ({ capability, required }) => `${capabilityInWords(capability)}${required ? "" : " (optional)"}`,
  );
}

/** The rows of a package: where it is from, what it would run, what it asks for, what confines it, and its size. */
export function reportLines(
  { resolved, integrity, folder, notes }: FetchedPackage,
  description: AddonDescription,
): readonly string[] {
  const { id, version, description: about, contributes, capabilities, confinement } = description;
  const asks = capabilities.map(
    ({ capability, required, reason }) =>
      `${capabilityInWords(capability)}${required ? "" : " (optional)"}: ${reason}`,
  );
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["from", [integrity === undefined ? resolved : `${resolved} (${integrity.slice(0, 24)}…)`]],
    ["about", about === undefined ? [] : [about]],
    ["does", contributes],
    ["asks", asks.length === 0 ? ["nothing: it sees its own folder and the system"] : asks],
    ["fence", confinement?.() ?? ["it runs nothing of its own: it is read as data"]],
    ["files", [sizeInWords(folder)]],
    ["note", notes],
  ];
  return [
    [id, version].filter(Boolean).join(" "),
    ...rows.flatMap(([label, lines]) => lines.map((line) => `  ${label.padEnd(6)} ${line}`)),
  ];
}

/** What an update changes of what was agreed to; empty if only its files differ. */
export function differenceLines(
  before: LockedPackage,
  resolved: string,
  asks: readonly string[],
): readonly string[] {
  const had = new Set(before.asks);
  return [
    ...(before.resolved === resolved ? [] : [`  was    ${before.resolved}`]),
    ...asks.filter((line) => !had.has(line)).map((line) => `  new    asks: ${line}`),
    ...before.asks.filter((line) => !asks.includes(line)).map((line) => `  gone   asks: ${line}`),
  ];
}

function sizeInWords(folder: string): string {
  const own = { files: 0, bytes: 0 };
  const needed = { files: 0, bytes: 0 };
  const folders: (readonly [string, typeof own])[] = [[folder, own]];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const [place, size] = next;
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      const path = join(place, entry.name);
      if (entry.isDirectory()) folders.push([path, entry.name === "node_modules" ? needed : size]);
      else {
        size.files += 1;
        size.bytes += lstatSync(path).size;
      }
    }
  }
  const itself = `${plural(own.files, "file")}, ${bytesInWords(own.bytes)}`;
  return needed.files === 0
    ? itself
    : `${itself}; what it needs: ${plural(needed.files, "file")}, ${bytesInWords(needed.bytes)}`;
}

function bytesInWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
