// `indus addon pack`: the archive of an addon that `indus add` and npm take. The same files make the same bytes, whenever and wherever they are
// packed.

import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isTable } from "indusagi/core";
import { create } from "tar";
import { ADDON_MANIFEST_FIELD, type AddonDescription, MANIFEST_FILENAME } from "../../addons/contract.ts";
import { Problem } from "../../cli/problem.ts";
import { privateFilesIn } from "../../store/private-files.ts";

export interface PackedAddon {
  readonly path: string;
  /** Of the archive, `/`-separated. */
  readonly files: readonly string[];
  /** What is not in it, one line each. */
  readonly left: readonly string[];
}

/** Installed anew where it is added, or what was packed before. */
const LEFT_OUT = /^(?:\.git|\.env|node_modules|.*\.tgz)$/;
/** Archives say when their files were written; these say nothing. */
const NO_TIME = new Date(0);

/** Writes `NAME-VERSION.tgz` into `into`. Throws a {@link Problem} for what cannot be published. */
export async function packAddon(
  root: string,
  { id, version, description }: Pick<AddonDescription, "id" | "version" | "description">,
  into: string,
): Promise<PackedAddon> {
  if (!lstatSync(root).isDirectory())
    throw new Problem(`${root} is one file: put it into a folder with a ${MANIFEST_FILENAME}`);
  const own = packageIn(root);
  if (!existsSync(join(root, MANIFEST_FILENAME)) && !(ADDON_MANIFEST_FIELD in own))
    throw new Problem(
      `${root} is not marked as an addon: create a ${MANIFEST_FILENAME} in it, or add "${ADDON_MANIFEST_FIELD}" to its package.json`,
    );
  const number = version ?? own.version;
  if (typeof number !== "string" || !/^\d+\.\d+\.\d+/.test(number))
    throw new Problem(
      `${root} has no version: write one such as version = "1.0.0" into its ${MANIFEST_FILENAME}`,
    );
  const staging = mkdtempSync(join(tmpdir(), "indus-pack-"));
  try {
    const folder = join(staging, "package");
    mkdirSync(folder);
    const left: string[] = [];
    copy(root, folder, { below: "", hidden: new Set(privateFilesIn(root)), left });
    const content = { name: id.toLowerCase(), description, ...own, version: number };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, undefined, 2)}\n`);
    const files = filesIn(folder, "package");
    const path = join(into, `${basename(String(content.name))}-${number}.tgz`);
    await create(
      { file: path, cwd: staging, gzip: true, portable: true, noDirRecurse: true, mtime: NO_TIME },
      [...files],
    );
    return { path, files: files.map((each) => each.slice("package/".length)), left };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function packageIn(root: string): Readonly<Record<string, unknown>> {
  const path = join(root, "package.json");
  if (!existsSync(path)) return {};
  const content: unknown = JSON.parse(readFileSync(path, "utf8"));
  return isTable(content) ? content : {};
}

interface Copying {
  /** The folder in the addon that is copied, with a `/` at its end; empty for the addon itself. */
  readonly below: string;
  /** What is private. */
  readonly hidden: ReadonlySet<string>;
  readonly left: string[];
}

/** Plain files alone: a link would be left out where it is unpacked. */
function copy(from: string, to: string, { below, hidden, left }: Copying): void {
  for (const { name } of readdirSync(from, { withFileTypes: true })) {
    const status = lstatSync(join(from, name));
    const place = `${below}${name}`;
    if (LEFT_OUT.test(name) || hidden.has(place)) left.push(place);
    else if (status.isDirectory()) {
      mkdirSync(join(to, name));
      copy(join(from, name), join(to, name), { below: `${place}/`, hidden, left });
    } else if (status.isFile()) cpSync(join(from, name), join(to, name));
    else left.push(`${place} (no plain file)`);
  }
}

function filesIn(folder: string, below: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const place = `${below}/${entry.name}`;
      return entry.isDirectory() ? filesIn(join(folder, entry.name), place) : [place];
    });
}
