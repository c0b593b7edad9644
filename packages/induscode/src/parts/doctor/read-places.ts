// Which files of the person and of a repository a session reads on its own, from where and in which order: one table, for `indus doctor`
// and for the guide (docs/guide/files-read.md).

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ADDONS_DIR } from "../../addons/contract.ts";
import { AGENT_FOLDERS } from "../../briefing/agent-files.ts";
import { CANDIDATE_FILES, OVERRIDE_FILE, OWN_FILES } from "../../briefing/document-reach.ts";
import { COMMAND_FOLDERS } from "../../briefing/macro-files.ts";
import { STYLE_FOLDERS } from "../../briefing/output-styles.ts";
import { productFolders } from "../../briefing/places.ts";
import { RULE_KINDS } from "../../briefing/rule-files.ts";
import { SKILL_FOLDERS } from "../../briefing/skills.ts";
import { APPEND_SYSTEM_FILE, SYSTEM_FILE } from "../../briefing/system-files.ts";
import { ancestors } from "../../briefing/workspace-root.ts";

export interface ReadPlace {
  readonly what: string;
  /** In a repository, relative to the folders in `where`; empty if a repository's files do not count. */
  readonly repository: readonly string[];
  readonly where: string;
  /** The person's, below the home folder. */
  readonly home: readonly string[];
  /** Which of several wins, and what a repository's file cannot do. */
  readonly rule: string;
}

const PROJECT = "working directory, then the project's root";

export const READ_PLACES: readonly ReadPlace[] = [
  {
    what: "instructions",
    repository: [OVERRIDE_FILE, ...CANDIDATE_FILES],
    where:
      "every folder from the root of the file system to the working directory; deeper ones when a tool first uses a file there",
    home: [...OWN_FILES.map((name) => `.indus/${name}`), OVERRIDE_FILE, ...CANDIDATE_FILES],
    rule: "in this order: `.indus`, the home folder, outer folders, inner folders; all are read, and later ones take precedence",
  },
  {
    what: "rules",
    repository: RULE_KINDS.map(({ folder }) => folder),
    where: PROJECT,
    home: RULE_KINDS.slice(0, 1).map(({ folder }) => folder),
    rule: "with the instructions, if they are about every file; else when a tool first uses a file that `paths`, `globs` or `applyTo` names",
  },
  {
    what: "skills",
    repository: SKILL_FOLDERS,
    where: PROJECT,
    home: SKILL_FOLDERS,
    rule: "if two have the same name, the repository's wins",
  },
  {
    what: "commands",
    repository: COMMAND_FOLDERS,
    where: PROJECT,
    home: COMMAND_FOLDERS,
    rule: "if two have the same name, the repository's wins; a built-in one wins over both",
  },
  {
    what: "agents",
    repository: AGENT_FOLDERS,
    where: PROJECT,
    home: AGENT_FOLDERS,
    rule: "if two have the same name, yours wins, then the built-in one, then the repository's, which grants nothing and chooses no provider",
  },
  {
    what: "output styles",
    repository: STYLE_FOLDERS,
    where: PROJECT,
    home: STYLE_FOLDERS,
    rule: "only the one that your setting `outputStyle` names; if two have the same name, yours wins, then a package's, then the repository's",
  },
  {
    what: "system prompt",
    repository: [],
    where: "",
    home: [`.indus/${SYSTEM_FILE}`, `.indus/${APPEND_SYSTEM_FILE}`],
    rule: "a repository's are ignored",
  },
  {
    what: "settings",
    repository: [".indus/settings.json"],
    where: "working directory",
    home: [".indus/settings.json"],
    rule: "a repository's may only add `permissions.ask` and `permissions.deny`, and narrow `sandbox` and `network`",
  },
  {
    what: "addons",
    repository: [ADDONS_DIR],
    where: "working directory",
    home: [".indus/addons"],
    rule: "the person's first, those of `addons.paths` and `--addon` last; each only once the person trusts its content",
  },
];

export interface PlaceFacts {
  readonly cwd: string;
  readonly home: string;
  /** The product's home folder. */
  readonly indusHome: string;
}

/** The files of a row that exist now, in the order in which they are read. */
export function presentPlaces(place: ReadPlace, facts: PlaceFacts): readonly string[] {
  return [...new Set(placesOf(place, facts))].filter((path) => existsSync(path));
}

function placesOf(
  { what, repository, home }: ReadPlace,
  { cwd, home: folder, indusHome }: PlaceFacts,
): readonly string[] {
  const own = home.map((path) =>
    path.startsWith(".indus/") ? join(indusHome, path.slice(7)) : join(folder, path),
  );
  const here = repository.map((path) => join(cwd, path));
  if (what === "instructions")
    return [
      ...own,
      ...ancestors(cwd)
        .toReversed()
        .filter((each) => each !== folder)
        .flatMap((each) => repository.map((path) => join(each, path))),
    ];
  if (what === "addons") return [...own, ...here];
  if (what === "settings" || what === "system prompt") return [...here, ...own];
  return productFolders({ cwd, home: folder, indusHome }, repository).map(({ dir }) => dir);
}
