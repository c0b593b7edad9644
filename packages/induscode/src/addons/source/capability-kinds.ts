// The capabilities as a table of each kind's fields, so that manifests and stored grants are checked against the same list.

import { hostFormProblem } from "../../feature/capabilities.ts";
import type { HostCapability } from "../../feature/descriptor.ts";
import type { TableReader } from "./table-reader.ts";

type Kind = HostCapability["kind"];
type FieldType = "text" | "texts" | "flag";
type Fields<Capability> = {
  readonly [Field in Exclude<keyof Capability, "kind">]: Capability[Field] extends boolean
    ? "flag"
    : Capability[Field] extends string
      ? "text"
      : "texts";
};

const ACCESS = { read: "flag", write: "flag" } as const;

/** Every kind with its fields. A kind or field of the contract that this table lacks is a compile error. */
export const CAPABILITY_KINDS: { readonly [K in Kind]: Fields<Extract<HostCapability, { kind: K }>> } = {
  contribute_tool: { name: "text" },
  contribute_hook: { point: "text" },
  background_task: {},
  model_notification: {},
  alert: {},
  files: { ...ACCESS, execute: "flag" },
  work_items: ACCESS,
  memory: ACCESS,
  sessions: { spawn: "flag", message: "flag", restore: "flag" },
  network: { purpose: "text", hosts: "texts" },
  secret: { id: "text" },
  browser: {},
  sampling: {},
  unconfined: {},
  ui: { status: "flag", render: "flag", ask: "flag" },
};

const KINDS = Object.keys(CAPABILITY_KINDS) as readonly Kind[];

function fieldsOf(kind: Kind): readonly (readonly [string, FieldType])[] {
  return Object.entries(CAPABILITY_KINDS[kind]);
}

/** The capability that a `[[capability]]` table names; flags that it does not mention are off. */
export function readCapability(table: TableReader): HostCapability {
  table.requiredText("kind");
  const kind = table.choice("kind", KINDS) ?? table.refuse(`"kind" must be one of ${KINDS.join(", ")}`);
  const fields = fieldsOf(kind);
  const read = {
    text: (field: string) => table.requiredText(field),
    texts: (field: string) => table.texts(field),
    flag: (field: string) => table.flag(field) ?? false,
  };
  const values = Object.fromEntries(fields.map(([field, type]) => [field, read[type](field)]));
  const flags = fields.filter(([, type]) => type === "flag").map(([field]) => field);
  if (flags.length > 0 && flags.every((flag) => values[flag] === false))
    table.refuse(`it requests nothing: set one of ${flags.join(", ")} to true`);
  if (kind === "network" && (values.hosts as readonly string[]).length === 0)
    table.refuse('"hosts" is missing: list the hosts');
  const hosts = kind === "network" ? (values.hosts as readonly string[]) : [];
  const problem = hosts.map(hostFormProblem).find((each) => each !== undefined);
  if (problem !== undefined) table.refuse(`"hosts" ${problem}`);
  return { kind, ...values } as HostCapability; // the fields are those of the kind's row
}

/**
 * A capability as a program names it, with defaults filled in: flags are off, a purpose is empty. Undefined for anything
 * else, or for one that requests nothing.
 */
export function readNeed(value: unknown): HostCapability | undefined {
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined;
  const given = value as Readonly<Record<string, unknown>> & { readonly kind: unknown };
  if (!KINDS.includes(given.kind as Kind)) return undefined;
  const fields = fieldsOf(given.kind as Kind);
  const flags = fields.filter(([, type]) => type === "flag").map(([field]) => field);
  if (flags.length > 0 && flags.every((flag) => given[flag] !== true)) return undefined;
  const defaults: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(flags.map((flag) => [flag, false])),
    purpose: "",
  };
  const facts = fields.map(([field]): [string, unknown] => [field, given[field] ?? defaults[field]]);
  const need = { kind: given.kind, ...Object.fromEntries(facts) };
  return isHostCapability(need) ? need : undefined;
}

/** What was expected instead of a value that {@link readNeed} rejects. */
export function expectedNeed(value: unknown): string {
  const kind = (value as { readonly kind?: unknown } | null)?.kind;
  if (!KINDS.includes(kind as Kind)) return `expected kind to be one of ${KINDS.join(", ")}`;
  const words = { text: "a string", texts: "a list of strings", flag: "true or false" } as const;
  const fields = fieldsOf(kind as Kind).map(([field, type]) => `${field} (${words[type]})`);
  return fields.length === 0 ? `expected ${kind} alone` : `expected ${kind} with ${fields.join(", ")}`;
}

/** Whether a value from a file is a capability, with exactly its kind's fields. */
export function isHostCapability(value: unknown): value is HostCapability {
  if (typeof value !== "object" || value === null || !("kind" in value)) return false;
  const { kind, ...fields } = value as { readonly kind: unknown } & Readonly<Record<string, unknown>>;
  if (!KINDS.includes(kind as Kind)) return false;
  const expected = fieldsOf(kind as Kind);
  return (
    Object.keys(fields).length === expected.length &&
    expected.every(([field, type]) => Object.hasOwn(fields, field) && hasType(fields[field], type))
  );
}

function hasType(value: unknown, type: FieldType): boolean {
  if (type === "texts") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return typeof value === (type === "text" ? "string" : "boolean");
}
