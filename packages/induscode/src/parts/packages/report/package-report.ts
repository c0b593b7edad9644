// What a person reads before a package is kept, and how an update differs from what they agreed to. All of it can quote the package, and is
// made printable here.

import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AddonDescription } from "../../../addons/contract.ts";
import { hashAddon } from "../../../addons/source/content-hash.ts";
import type { Part } from "../../../cli/part.ts";
import { plural } from "../../../console/figures.ts";
import { printableLine } from "../../../console/printable-line.ts";
import type { LineLook } from "../../../console/transcript-lines.ts";
import { capabilityInWords } from "../../../feature/capabilities.ts";
import { commandNamesOf } from "../../../session/part-features.ts";
import type { LockedPackage } from "../package-lock.ts";
import type { FetchedPackage } from "../staged-package.ts";
import { changedFiles, changeRows, contributionsIn } from "./contributions.ts";
import { pluginInWords } from "./plugin-report.ts";
import { rowsOf } from "./report-rows.ts";

/** What it asks for, one line each, as the lock file keeps it. */
export function asksOf({ capabilities }: Pick<AddonDescription, "capabilities">): readonly string[] {
  return capabilities.map(
    ({ capability, required }) => `${capabilityInWords(capability)}${required ? "" : " (optional)"}`,
  );
}

/** What is known of it beside its files. */
interface ReportFacts {
  readonly look: LineLook;
  readonly parts: readonly Part[];
  /** In each request, in words. */
  readonly cost: string;
  /** Names of its contributions that are in use here. */
  readonly collisions: readonly string[];
}

/** The rows of a package: where it is from, what it would run, what it asks for, what confines it, and its size. All of it is printable. */
export async function reportLines(
  { name, resolved, integrity, provenance, folder, notes }: FetchedPackage,
  description: AddonDescription,
  { look, parts, cost, collisions }: ReportFacts,
): Promise<readonly string[]> {
  const { id, version, description: about, contributes, capabilities, confinement } = description;
  const asks = capabilities.map(
    ({ capability, required, reason }) =>
      `${capabilityInWords(capability)}${required ? "" : " (optional)"}: ${reason}`,
  );
  const taken = await commandNamesOf(parts);
  const plugin = pluginInWords({ name, folder }, taken);
  return [
    look.style.bold(printableLine([id, version].filter(Boolean).join(" "))),
    ...rowsOf(look, [
      ["from", [integrity === undefined ? resolved : `${resolved} (${integrity.slice(0, 24)}…)`]],
      ["built", provenance === undefined ? [] : [provenance]],
      ["about", about === undefined ? [] : [about]],
      // Where it lies until it is kept says nothing to anybody.
      ["does", contributes.map((line) => line.replaceAll(`${dirname(folder)}/`, ""))],
      ["has", plugin.brings],
      ["names", collisions],
      ["idle", plugin.unused],
      ["cost", [cost]],
      ["asks", asks.length === 0 ? ["nothing beyond its own folder"] : asks],
      ["limit", confinement?.() ?? ["it runs no code: its files are only read"]],
      ["files", [sizeInWords(folder)]],
      ["note", notes],
    ]),
  ];
}

/** One of the two versions that an update compares. */
interface PackageVersion {
  readonly locked: LockedPackage;
  readonly folder: string;
  readonly description: AddonDescription;
}

/** What an update changes of what was agreed to: version, contributions, what it asks for, and files, which may have changed here since. */
export function differenceLines(
  { locked: before, folder, description }: PackageVersion,
  fetched: PackageVersion,
  look: LineLook,
): readonly string[] {
  const { resolved, asks } = fetched.locked;
  const had = new Set(before.asks);
  const versions = [description.version, fetched.description.version].map((each = "no version") => each);
  const changed = changeRows(
    contributionsIn(folder, description),
    contributionsIn(fetched.folder, fetched.description),
  );
  const isOwn = hashAddon(folder) === before.content;
  return rowsOf(look, [
    ["was", before.resolved === resolved ? [] : [before.resolved]],
    ["was", versions[0] === versions[1] ? [] : [`${versions[0]}, and is ${versions[1]}`]],
    ...changed,
    ["new", asks.filter((line) => !had.has(line)).map((line) => `asks: ${line}`)],
    ["gone", before.asks.filter((line) => !asks.includes(line)).map((line) => `asks: ${line}`)],
    ["changed", changedFiles(folder, fetched.folder)],
    ["note", isOwn ? [] : ["its files were changed here since you added it; the update replaces them"]],
  ]);
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
    : `${itself}; its dependencies: ${plural(needed.files, "file")}, ${bytesInWords(needed.bytes)}`;
}

function bytesInWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
