// The tools and prompts of an MCP server, asked for at its start and again whenever it says that they have changed. Servers also say so
// while they start, and when nothing has changed.

import type { Client } from "@modelcontextprotocol/client";
import { delay, isSameJson } from "indusagi/core";
import { listAll, NO_TIMEOUT_MS, type ServerList } from "./mcp-lists.ts";
import { type Asking, askFreely, beginStart, type StartTime } from "./mcp-start.ts";
import { plainWords } from "./mcp-words.ts";

/** How often a list is asked for again that changed while it was read. */
const MAX_AGAIN = 3;
/** How often a running server is asked for what it says has changed. */
const MAX_LOOKS = 100;
/** A server that does not answer this one question is of use all the same. */
const PROMPTS_MS = 10_000;
const SETTLE_MS = 5_000;

export interface ServerLists {
  readonly tools: ServerList;
  /** Or why they are not known: that costs no tool. */
  readonly prompts: ServerList | string;
}

const NONE: ServerList = { entries: [], cut: undefined };

export class FollowedServer {
  readonly #client: Client;
  readonly #onChange: (lists: ServerLists) => void;
  #isStale = false;
  #known: ServerLists | undefined;
  #log: ((text: string) => void) | undefined;
  #looks = 0;
  #looking: Promise<void> | undefined;

  /** `onChange` gets what is other than before. */
  constructor(client: Client, onChange: (lists: ServerLists) => void) {
    this.#client = client;
    this.#onChange = onChange;
    const changed = (): void => {
      this.#isStale = true;
      this.#look();
    };
    client.setNotificationHandler("notifications/tools/list_changed", changed);
    client.setNotificationHandler("notifications/prompts/list_changed", changed);
  }

  /** Within the time of its start. */
  async begin(start: StartTime): Promise<ServerLists> {
    let lists = await this.#ask(start.ask, start.askBriefly(PROMPTS_MS));
    for (let again = 0; this.#isStale && again < MAX_AGAIN; again++) {
      this.#isStale = false;
      lists = await this.#ask(start.ask, start.askBriefly(PROMPTS_MS));
    }
    this.#isStale = false;
    this.#known = lists;
    return lists;
  }

  /** From now on its changes are followed; `log` hears why they cannot be. */
  follow(log: (text: string) => void): void {
    this.#log = log;
    this.#look();
    void this.#listen().catch((error: unknown) => log(`${plainWords(error)}\n`));
  }

  /** Servers of the newest revision tell only who asks them to. Of older ones, the library keeps back that they could. */
  async #listen(): Promise<void> {
    const { tools, prompts } = this.#client.getServerCapabilities() ?? {};
    const filter = {
      toolsListChanged: tools?.listChanged === true,
      promptsListChanged: prompts?.listChanged === true,
    };
    if (Object.values(filter).includes(true)) await this.#client.listen(filter, { timeout: NO_TIMEOUT_MS });
  }

  /** Resolves once what the server said to have changed is known, or takes too long: the answer to a call comes after what it changed. */
  async settled(): Promise<void> {
    if (this.#looking === undefined) return;
    const late = new AbortController();
    await Promise.race([this.#looking, delay(SETTLE_MS, late.signal).catch(() => undefined)]);
    late.abort();
  }

  #look(): void {
    if (this.#log === undefined) return;
    this.#looking ??= this.#lookAgain(this.#log).finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookAgain(log: (text: string) => void): Promise<void> {
    try {
      while (this.#isStale) {
        if (this.#looks === MAX_LOOKS) return;
        if (++this.#looks === MAX_LOOKS)
          log(
            `it has said ${MAX_LOOKS} times that its lists have changed: they are not looked at any more\n`,
          );
        this.#isStale = false;
        const lists = await this.#ask(askFreely, beginStart(PROMPTS_MS).ask);
        if (isSameJson(this.#known, lists)) continue;
        this.#known = lists;
        this.#onChange(lists);
      }
    } catch (error) {
      log(`${plainWords(error)}\n`);
    }
  }

  async #ask(asking: Asking, askingForPrompts: Asking): Promise<ServerLists> {
    const tools = await listAll(this.#client, "tools/list", asking);
    if (!this.#client.getServerCapabilities()?.prompts) return { tools, prompts: NONE };
    try {
      return { tools, prompts: await listAll(this.#client, "prompts/list", askingForPrompts) };
    } catch (error) {
      return { tools, prompts: plainWords(error) };
    }
  }
}
