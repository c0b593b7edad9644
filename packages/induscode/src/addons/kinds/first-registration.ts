// What a program registers the first time, and the id that it may have. A program that is rejected is ended.

import { describeError } from "indusagi/core";
import { faultKindOf } from "../../feature/fault-kind.ts";
import { type AddonId, addonId, LoaderError } from "../contract.ts";
import type { CodeAddon } from "../process/contract.ts";
import type { HostCalls } from "../process/host-calls.ts";
import type { Registration } from "../process/protocol/messages.ts";
import type { ReadRegistration } from "../process/protocol/read-registration.ts";
import type { RemoteAddon } from "../process/remote-addon.ts";
import { isAddonId } from "../source/manifest.ts";

/** {@link idOf}; if the addon may not have its id, its process is ended. */
export async function idOrEnd(
  registration: ReadRegistration,
  code: CodeAddon,
  remote: RemoteAddon,
  calls: HostCalls,
): Promise<AddonId> {
  try {
    return idOf(registration, code, calls);
  } catch (error) {
    await remote.dispose();
    throw error;
  }
}

/** `failed` hears why it does not register, which is what this rejects with. */
export async function firstRegistration(
  remote: RemoteAddon,
  { source, advice }: CodeAddon,
  calls: HostCalls,
  failed: (why: string) => void = () => undefined,
): Promise<Registration> {
  try {
    return await remote.register();
  } catch (cause) {
    await remote.dispose();
    if (cause instanceof LoaderError) throw cause;
    const kind = faultKindOf(cause, "load") === "register" ? "register" : "io";
    const detail = `${describeError(cause)}${wordsOf(calls)}${advice === undefined ? "" : `. ${advice}`}`;
    failed(detail);
    throw new LoaderError({ kind, path: source.path }, detail, { cause });
  }
}

/** How many lines of a rejected addon are quoted. */
const MAX_WORDS = 5;

/** What a rejected addon reported while it registered, to be appended to the reason. */
function wordsOf({ takeEarly }: HostCalls): string {
  const lines = takeEarly().map(({ severity, text }) => `${severity}: ${text}`);
  if (lines.length === 0) return "";
  const rest = lines.length > MAX_WORDS ? [`and ${lines.length - MAX_WORDS} more`] : [];
  return `; while registering it reported: ${[...lines.slice(0, MAX_WORDS), ...rest].join("; ")}`;
}

/** The id that the program declares takes precedence over its location's, but not over its manifest's. */
export function idOf(
  { id }: { readonly id?: string | undefined },
  code: CodeAddon,
  calls?: HostCalls,
): AddonId {
  if (id === undefined) return code.hasDeclaredId ? code.id : code.source.id;
  if (id === code.id) return code.id;
  const words = calls ? wordsOf(calls) : "";
  if (code.hasDeclaredId) {
    const detail = `its program declares the id "${id}" and its manifest "${code.id}": make them the same${words}`;
    throw new LoaderError({ kind: "invalid", path: code.source.path }, detail);
  }
  if (!isAddonId(id)) {
    const detail = `its program declares the id ${JSON.stringify(id)}, which is not an addon id: use letters, digits, . _ -${words}`;
    throw new LoaderError({ kind: "invalid", path: code.source.path }, detail);
  }
  return addonId(id);
}
