// The addons that `indus addon new` starts from: real files that work as they are under the name `my-addon`.

/** The kinds of addons, by what their authors write. */
export const AUTHOR_KINDS = ["toml", "ts", "python", "process", "wasm"] as const;

export type AuthorKind = (typeof AUTHOR_KINDS)[number];

/** One file of a template, relative to the folder of its kind. */
interface TemplateFile {
  readonly path: string;
  /** Copied byte for byte: it does not contain the addon's name. */
  readonly isBinary?: boolean;
  readonly isExecutable?: boolean;
}

/** The files of each kind; the first is the addon itself or in its folder. */
export const TEMPLATES: Readonly<Record<AuthorKind, readonly TemplateFile[]>> = {
  toml: folderOf([]),
  ts: fileWith("my-addon.ts"),
  python: fileWith("my-addon.py"),
  process: folderOf([{ path: "my-addon/my-addon.sh", isExecutable: true }]),
  wasm: folderOf([{ path: "my-addon/my-addon.ts" }, { path: "my-addon/my-addon.wasm", isBinary: true }]),
};

/** A template's text or path with the addon's own name filled in. */
export function underName(text: string, name: string): string {
  return text.replaceAll("my-addon", name).replaceAll("my-command", commandNameOf(name));
}

const MAX_COMMAND_NAME = 64;

/** A command is typed by hand, so: lower-case letters, digits and dashes. */
function commandNameOf(name: string): string {
  return name.toLowerCase().replaceAll(".", "-").slice(0, MAX_COMMAND_NAME);
}

function fileWith(path: string): readonly TemplateFile[] {
  return [{ path }, { path: "my-addon.cassette.jsonl" }, { path: "my-addon.expect.toml" }];
}

function folderOf(further: readonly TemplateFile[]): readonly TemplateFile[] {
  const names = ["manifest.toml", "cassette.jsonl", "expect.toml"];
  return [...names.map((name) => ({ path: `my-addon/${name}` })), ...further];
}
