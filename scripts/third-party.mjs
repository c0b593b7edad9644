// The licences of the packages whose code is in the bundle: npm keeps no copy of what was bundled, so the product brings their texts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What their names begin with, in the order in which a package is looked at. */
const TEXTS = [/^licen[cs]e/i, /^copying/i, /^notice/i];

/**
 * The text that names each package, its version and its licence, with the licence as it came.
 * `modules`: paths of the files that were bundled, of this tree and of packages. Throws if a package does not say its licence.
 */
export function thirdPartyLicences(modules) {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
  const packages = [...folders].map(readPackage);
  const sorted = packages.sort((one, other) => (one.title < other.title ? -1 : 1));
  const unique = sorted.filter(({ title }, at) => title !== sorted[at - 1]?.title);
  return [
    "indus contains code of the packages below. Each is under the licence that is named and quoted with it.\n",
    ...unique.map(
      ({ title, licence, texts }) =>
        `${"-".repeat(80)}\n${title}\nLicence: ${licence}\n\n${texts.join("\n\n")}\n`,
    ),
  ].join("\n");
}

/** The folder of the package that the file belongs to; undefined for a file of this tree and for one that the bundler made. */
function packageFolder(path) {
  const file = path.replace(/^\0+/, "").replace(/\?.*$/, "");
  if (!/[\\/]node_modules[\\/]/.test(file)) return undefined;
  let folder = dirname(file);
  // A package has folders with a package.json of their own, which only says what kind of modules they hold.
  while (!(existsSync(join(folder, "package.json")) && manifestOf(folder).version)) folder = dirname(folder);
  return folder;
}

function readPackage(folder) {
  const { name, version, license, licenses, author } = manifestOf(folder);
  const licence = license?.type ?? license ?? licenses?.map(({ type }) => type).join(" OR ");
  if (!licence) throw new Error(`third-party.mjs: ${name} ${version} does not say its licence`);
  const files = readdirSync(folder)
    .filter((file) => TEXTS.some((text) => text.test(file)))
    .sort();
  const by = author?.name ?? author;
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return {
    title: `${name} ${version}`,
    licence,
    texts: texts.length > 0 ? texts : [`It comes without a text of its licence.${by ? ` By ${by}.` : ""}`],
  };
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
