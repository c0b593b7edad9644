// Generated from addon-protocol.schema.json by `npm run protocol`: do not edit. The services of the host that are one request each.

/** What the host does at one request, by its grant. */
export interface PlainServices {
  /** A short line for the person, never for the model. Needs the grant alert. */
  readonly alert: (text: string) => Promise<void>;
  /** A notice that the model reads at its next call, labelled with its origin. Needs the grant model_notification. */
  readonly notify: (text: string) => Promise<void>;
  /** Reads a text file of the workspace. Needs the grant files with read. */
  readonly readFile: (path: string) => Promise<string>;
  /** Writes a text file of the workspace, whole or not at all. Needs the grant files with write. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  /** The value of a secret. Needs the grant secret with this id. */
  readonly secret: (id: string) => Promise<string>;
}

/** The fields that each sends, in the order of its arguments, and the field of the answer that it gives. */
export const PLAIN_SERVICES: {
  readonly [Name in keyof PlainServices]: { readonly takes: readonly string[]; readonly gives?: string };
} = {
  alert: { takes: ["text"] },
  notify: { takes: ["text"] },
  readFile: { takes: ["path"], gives: "text" },
  writeFile: { takes: ["path", "text"] },
  secret: { takes: ["id"], gives: "value" },
};
