// `indus mcp test`: starts a server once, in its sandbox and with a home of its own, and says what it offers, or why not.

import { makeLocalContext } from "indusagi/capabilities";
import { printable } from "indusagi/core";
import {
  createRegistrationCache,
  registrationKey,
  tryToStore,
} from "../../addons/process/registration-cache.ts";
import { hashAddon } from "../../addons/source/content-hash.ts";
import { type Invocation, workingDirectory } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK } from "../../cli/problem.ts";
import { createDeck } from "../../deck/deck.ts";
import { createPermissions } from "../../deck/permissions/permissions.ts";
import { createAuthority } from "../../feature/authority.ts";
import { createHooks } from "../../feature/dispatch/hooks.ts";
import { DEFAULT_DEADLINE_MS } from "../../feature/handler-limits.ts";
import type { InstalledTool } from "../../feature/tool.ts";
import { learnKeptSecrets } from "../../session/kept-secrets.ts";
import { indusHome } from "../../store/home.ts";
import { runCheck } from "../author/run-addon-check.ts";
import { serverCalled } from "./server-called.ts";

const MOST_LISTED = 20;
/** Time enough for a server that asks somebody else. */
const LIST_MS = 30_000;

export async function tryServer(name: string, line: Invocation): Promise<number> {
  const { env, parts, secrets } = line;
  const place = { cwd: workingDirectory(line), home: indusHome(env), env, secrets, parts };
  learnKeptSecrets(place.home, secrets);
  const source = await serverCalled(name, line);
  let resources: readonly string[] = [];
  const { registers, findings, confinement, printed, toolBytes, description, registration } = await runCheck(
    source,
    place,
    {
      tryOut: async (tools) => {
        resources = await listed(tools, place.cwd);
      },
    },
  );
  const of = (kind: string): readonly string[] =>
    registers.filter((each) => each.startsWith(`${kind} `)).map((each) => each.slice(kind.length + 1));
  const problems = findings.filter(({ severity }) => severity === "problem");
  // The next session begins with what was found here, even if the server did not start for the last one.
  const unkept =
    problems.length === 0 && registration
      ? tryToStore(() =>
          createRegistrationCache(place).store(registrationKey(hashAddon(source.root)), registration),
        )
      : undefined;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["runs", description?.contributes ?? []],
    ["sandbox", confinement],
    ["tools", of("tool").length === 0 ? [] : [`${of("tool").join(", ")} (${toolBytes} bytes)`]],
    ["resources", resources],
    ["prompts", of("command")],
    ["warn", findings.flatMap(({ severity, text }) => (severity === "warning" ? [text] : []))],
    ["warn", unkept === undefined ? [] : [`its tools could not be kept for the next start: ${unkept}`]],
    ["wrong", problems.map(({ text }) => text)],
    ["log", problems.length === 0 ? [] : printed],
  ];
  const lines = rows.flatMap(([row, texts]) => texts.map((text) => `${row.padEnd(9)} ${text}`));
  const end = problems.length === 0 ? `${name} works here.` : `${name} does not work here yet.`;
  process.stdout.write(printable(`${[...lines, end].join("\n")}\n`));
  return problems.length === 0 ? EXIT_OK : EXIT_FAULT;
}

/** What it lists as its resources, through the boundary: a tool runs nowhere else. */
async function listed(tools: readonly InstalledTool[], cwd: string): Promise<readonly string[]> {
  const lister = tools.find(({ resources }) => resources === "list");
  if (!lister) return [];
  const realPath = async (path: string): Promise<string> => path;
  const deck = createDeck({
    tools,
    permissions: createPermissions({
      policy: { mode: "bypass", allow: [], ask: [], deny: [] },
      root: cwd,
      realPath,
    }),
    hooks: createHooks(
      { subscriptions: [], interceptors: [] },
      { deadlineMs: DEFAULT_DEADLINE_MS, onGateFailure: "allow", onFault: () => undefined },
    ),
    authority: createAuthority({
      ...{ reports: () => [], root: cwd, realPath, keepsOff: () => false },
      ...{ isReadOnly: false, isPlanning: false },
    }),
    context: (signal) => makeLocalContext(cwd, { signal }),
  });
  const call = { id: "list", name: lister.tool.name, input: {} };
  const lines = (await deck.run(call, AbortSignal.timeout(LIST_MS))).text.split("\n");
  const more = lines.length - MOST_LISTED;
  return more > 0 ? [...lines.slice(0, MOST_LISTED), `and ${more} more`] : lines;
}
