// What one command of the model may reach. Shapes only.

/** All paths are real and absolute. */
export interface CommandSpec {
  /** The working directory of the session. */
  readonly root: string;
  /** Where the command runs: in the root. */
  readonly cwd: string;
  /** The root may be written but for what is protected; otherwise nothing but temporary files may. */
  readonly isWritable: boolean;
  /** In the root, there, and read-only. */
  readonly protected: readonly string[];
  /** In the root, there, and not to be moved. */
  readonly pinned: readonly string[];
  /** Readable besides the system's programs and the root. */
  readonly readable: readonly string[];
  /** Below something readable or the root, there, and out of reach. */
  readonly hidden: readonly string[];
  /** The session's own: temporary files, and what stands for the person's home. */
  readonly temporary: string;
  readonly home: string;
  /** The person's, whose place the other takes where mounts can do that. */
  readonly personHome: string;
  /** `proxy`: a network of its own, and the folder with the socket of the way out of it. */
  readonly network: "none" | "all" | { readonly proxy: string };
}

/** A command line with the variables that it is started with. */
export interface CommandLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Open files of this process that it gets at 3 and on; whoever starts it closes them here. */
  readonly handles?: readonly number[];
}
