// What one model's command can reach. Types only.

import type { OutsideFolder } from "../../feature/permission.ts";

/** All paths are real and absolute. */
export interface CommandSpec {
  /** The working directory of the session. */
  readonly root: string;
  /** Where the command runs: inside the root. */
  readonly cwd: string;
  /** The root is writable except for what is protected; otherwise only temporary files are. */
  readonly isWritable: boolean;
  /** Existing paths in the root, and in other writable folders, that are read-only. */
  readonly protected: readonly string[];
  /** Existing paths there that must not be moved. */
  readonly pinned: readonly string[];
  /** Readable in addition to the system's programs and the root. */
  readonly readable: readonly string[];
  /** The same by the person's answers, or writable like the root: only the folders that were judged. */
  readonly granted: readonly OutsideFolder[];
  /** Existing paths below something readable or the root that are out of reach. */
  readonly hidden: readonly string[];
  /** The session's own: temporary files, and a stand-in for the person's home. */
  readonly temporary: string;
  readonly home: string;
  /** The person's home, which `home` replaces where mounts allow it. */
  readonly personHome: string;
  /** `proxy`: a network of its own, and the folder with the socket of its only way out. */
  readonly network: "none" | "all" | { readonly proxy: string };
}

/** A command line with the variables it is started with. */
export interface CommandLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Open files of this process, passed from descriptor 3 on; the caller closes them here after the start. */
  readonly handles?: readonly number[];
}
