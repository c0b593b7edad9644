import { foldEntries } from "./branch.ts";
import type { Entry } from "./contract.ts";
import type { ContextFold } from "./fold.ts";
import { describeDamage, type LogDamage, type ReadLog } from "./log-reader.ts";
import { readFolded } from "./read-folded.ts";

/** A log's requests, compared with requests rebuilt from its entries. */
export interface Verification {
  readonly requests: number;
  /** Entry numbers of requests whose rebuilt digest differs from the logged one. */
  readonly mismatches: readonly number[];
}

/** Rebuilds every request of a session from its entries and compares digests (invariant 1). */
export function verifyEntries(entries: readonly Entry[]): Verification {
  const { see, found } = createVerifier();
  foldEntries(entries, see);
  return found();
}

/** The same for the log at `path`, read and verified in one pass. Throws what the file system throws. */
export function verifyLog(path: string): ReadLog & { readonly verification: Verification } {
  let verifier = createVerifier();
  const read = readFolded(path, {
    begin() {
      verifier = createVerifier();
      return (entry, _, fold) => verifier.see(entry, fold);
    },
  });
  return { ...read, verification: verifier.found() };
}

function createVerifier(): {
  readonly see: (entry: Entry, fold: ContextFold) => void;
  readonly found: () => Verification;
} {
  const mismatches: number[] = [];
  let requests = 0;
  return {
    see(entry, fold) {
      if (entry.type !== "request") return;
      requests++;
      if (entry.digest !== fold.digest()) mismatches.push(entry.n);
    },
    found: () => ({ requests, mismatches }),
  };
}

/** Why a log does not explain its session, one sentence each; none if it does. */
export function findLogProblems(
  { entries, damage }: { readonly entries: readonly Entry[]; readonly damage: LogDamage },
  { mismatches }: Verification,
): readonly string[] {
  const problems: readonly string[] = [
    entries.length === 0 ? "The log contains no readable entry." : "",
    ...describeDamage(damage).map((what) => `The log ${what}.`),
    sentence("Entries are missing, or out of order, before entries", gaps(entries, damage)),
    sentence("The log does not explain the requests at entries", mismatches),
    sentence("No request precedes the replies at entries", unaskedReplies(entries)),
  ];
  return problems.filter((problem) => problem !== "");
}

/** A damaged log may have a problem on every line. */
const MAX_NAMED = 20;

function sentence(what: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return "";
  const more = numbers.length - MAX_NAMED;
  return `${what} ${numbers.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/** Entries whose number does not follow the previous one; the first must be 0. A newer version's lines may be in between. */
function gaps(entries: readonly Entry[], { later }: LogDamage): readonly number[] {
  const isLater = new Set(later.map(({ n }) => n));
  let next = 0;
  return entries.flatMap(({ n }) => {
    while (next < n && isLater.has(next)) next++;
    const follows = n === next;
    next = n + 1;
    return follows ? [] : [n];
  });
}

/** Model replies with no logged request since the previous reply. */
function unaskedReplies(entries: readonly Entry[]): readonly number[] {
  const unasked: number[] = [];
  let asked = false;
  for (const entry of entries) {
    const { type, n } = entry;
    if (type === "request") asked = true;
    const isReply =
      type === "assistant" || type === "summary" || (type === "jump" && entry.usage !== undefined);
    if (!isReply) continue;
    if (entry.type === "summary" && entry.origin === "digest") continue; // made from the log alone
    if (!asked) unasked.push(n);
    asked = false;
  }
  return unasked;
}
