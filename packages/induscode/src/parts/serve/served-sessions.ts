// The sessions of one server.

import { RpcError } from "../../addons/process/protocol/contract.ts";
import type { Flags } from "../../cli/flags.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { sessionPlace } from "../../session/front-session.ts";
import { withServers } from "../packages/servers-here.ts";
import { ERROR_CODES, type OpenParams } from "./protocol/serve-messages.ts";
import type { ServedSession } from "./served-session.ts";

export class ServedSessions {
  readonly #line: Invocation<Flags>;
  readonly #sessions = new Set<ServedSession>();
  /** Those that open now, by the session that they continue: two at once would make two of it. */
  readonly #resuming = new Map<string, Promise<ServedSession>>();

  readonly #opening = new Set<Promise<ServedSession>>();
  readonly #closing = new AbortController();

  constructor(line: Invocation<Flags>) {
    this.#line = line;
  }

  all(): readonly ServedSession[] {
    return [...this.#sessions];
  }

  find(id: string): ServedSession | undefined {
    return this.all().find((session) => session.hasId(id));
  }

  /** Throws an {@link RpcError} that names those there are. */
  get(id: string): ServedSession {
    const found = this.find(id);
    if (found !== undefined) return found;
    const open = this.all().map((session) => session.id);
    const there = open.length === 0 ? "no session is open" : `these are open: ${open.join(", ")}`;
    throw new RpcError(
      ERROR_CODES.unknown,
      `session ${JSON.stringify(id)} is not open: ${there}; to open a saved session, use sessions/resume`,
    );
  }

  open({ cwd, model, mode, allow, deny, grant, maxCost }: OpenParams): Promise<ServedSession> {
    const wanted: Flags = {
      ...{ model, allow, deny, grant, "permission-mode": mode, "max-cost": maxCost?.toString() },
    };
    const own = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    return this.#opened({ ...this.#line.flags, ...own }, cwd);
  }

  resume(id: string, cwd: string): Promise<ServedSession> {
    const there = this.find(id) ?? this.#resuming.get(id);
    if (there !== undefined) return Promise.resolve(there);
    const opening = this.#opened({ ...this.#line.flags, resume: id }, cwd).finally(() =>
      this.#resuming.delete(id),
    );
    this.#resuming.set(id, opening);
    return opening;
  }

  fork(session: ServedSession): Promise<ServedSession> {
    const { id, cwd } = session.state();
    return this.#opened({ ...this.#line.flags, resume: id, fork: true }, cwd);
  }

  /** Returns what went wrong, one line each. */
  close(session: ServedSession, why: string): Promise<readonly string[]> {
    this.#sessions.delete(session);
    return session.close(why);
  }

  async closeAll(why: string): Promise<readonly string[]> {
    this.#closing.abort();
    await Promise.allSettled(this.#opening);
    const problems = await Promise.all(this.all().map((session) => this.close(session, why)));
    return problems.flat();
  }

  #opened(flags: Flags, folder: string): Promise<ServedSession> {
    const opening = this.#open(flags, folder).finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return opening;
  }

  async #open(flags: Flags, folder: string): Promise<ServedSession> {
    const line = this.#line;
    const { openServedSession } = await import("./served-session.ts");
    const cwd = sessionPlace(folder, line);
    const notices: string[] = [];
    const tell = (text: string): void => void notices.push(text);
    const served = await withServers({ ...line, flags }, { cwd, tell, signal: this.#closing.signal });
    const session = await openServedSession({ line: served, cwd }, notices);
    this.#sessions.add(session);
    return session;
  }
}
