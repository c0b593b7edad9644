// Which files a context document may import into the prompt. Imports go to the model's provider without a question, so a
// repository must not be able to name a private key (`@~/.ssh/id_rsa`).

import { join, sep } from "node:path";
import { isInside } from "indusagi/core";
import { isPrivateName } from "../store/private-files.ts";
import { realPathOf } from "./text-file.ts";

interface ImportPolicyOptions {
  readonly workspaceRoot: string;
  readonly home: string;
  readonly indusHome: string;
  /** More folders the person opened to imports. */
  readonly trustedRoots: readonly string[];
}

/** Returns why the file at this real path may not be imported; undefined when it may. */
type ImportPolicy = (realPath: string) => string | undefined;

/** The policy over real paths: a link from inside a trusted folder to outside is refused. */
export function createImportPolicy({
  workspaceRoot,
  home,
  indusHome,
  trustedRoots,
}: ImportPolicyOptions): ImportPolicy {
  const own = HOME_FOLDERS.map((name) => join(home, name));
  const roots = [workspaceRoot, indusHome, ...own, ...trustedRoots].map(realPathOf);
  return (realPath) => {
    if (isSecretPath(realPath)) return "files of this kind contain secrets";
    if (roots.some((root) => isInside(root, realPath))) return undefined;
    return `it is outside the workspace ${workspaceRoot} and the home folders for instructions`;
  };
}

const HOME_FOLDERS: readonly string[] = [".indus", ".indusagi", ".claude"];

/** True for files that contain keys and passwords by convention, wherever they are. */
export function isSecretPath(path: string): boolean {
  const segments = path.split(sep);
  return segments.some((segment, at) => isPrivateName(segment, at < segments.length - 1));
}
