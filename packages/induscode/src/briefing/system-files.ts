// SYSTEM.md replaces the prompt and APPEND_SYSTEM.md adds to it. Only the person's own count; a repository's do not, because
// whoever writes the system prompt sets every rule for the model (docs/decisions/026-prompt-files.md).

import { join } from "node:path";
import type { BriefingDiagnostic } from "./contract.ts";
import { describeInvisible } from "./invisible-text.ts";
import { findFile, readTextFile } from "./text-file.ts";

export const SYSTEM_FILE = "SYSTEM.md";
export const APPEND_SYSTEM_FILE = "APPEND_SYSTEM.md";
const MAX_SYSTEM_BYTES = 100_000;

/** A text for the system prompt, and its file. */
export interface SystemText {
  readonly text: string;
  readonly source: string;
}

export interface SystemFiles {
  readonly system?: SystemText | undefined;
  readonly appendSystem?: SystemText | undefined;
  readonly diagnostics: readonly BriefingDiagnostic[];
}

export interface SystemPlaces {
  readonly cwd: string;
  readonly indusHome: string;
}

/** Reads the home folder's; only reports a project's. A blank file counts as missing. Never throws. */
export function readSystemFiles({ cwd, indusHome }: SystemPlaces): SystemFiles {
  const diagnostics: BriefingDiagnostic[] = [];
  const system = find(SYSTEM_FILE);
  const appendSystem = find(APPEND_SYSTEM_FILE);
  return { system, appendSystem, diagnostics };

  function find(name: string): SystemText | undefined {
    const project = join(cwd, ".indus", name);
    const own = join(indusHome, name);
    if (project !== own && findFile(project)) {
      const message = `${project} is not used: a repository may not set the system prompt`;
      diagnostics.push({ kind: "refused", path: project, message });
    }
    return read(own);
  }

  function read(source: string): SystemText | undefined {
    if (!findFile(source)) return undefined;
    const file = readTextFile(source, MAX_SYSTEM_BYTES);
    if (!file.ok || !file.isWhole) {
      const problem = file.ok ? `it is longer than ${MAX_SYSTEM_BYTES} bytes` : file.problem;
      diagnostics.push({ kind: "unreadable", path: source, message: `${source} is not used: ${problem}` });
      return undefined;
    }
    const invisible = describeInvisible(file.text);
    if (invisible !== undefined) {
      const message = `${source} contains text that only the model can see (${invisible})`;
      diagnostics.push({ kind: "invisible", path: source, message });
    }
    const text = file.text.trim();
    return text === "" ? undefined : { text, source };
  }
}
