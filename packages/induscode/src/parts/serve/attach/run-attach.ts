// `indus attach`: a served session in this terminal. Leaving it leaves the session running.

import { homeFolder, type JsonValue } from "indusagi/core";
import { fromObject } from "../../../channels/json.ts";
import type { Flags } from "../../../cli/flags.ts";
import type { Invocation } from "../../../cli/invocation.ts";
import { noticeLine } from "../../../cli/notice-line.ts";
import { EXIT_USAGE, Problem } from "../../../cli/problem.ts";
import { stopOnSignals } from "../../../cli/signals.ts";
import { VERSION } from "../../../cli/version.ts";
import type { Entry } from "../../../conductor/contract.ts";
import { pastEvents } from "../../../conductor/past-events.ts";
import type { Command, InstalledCommand } from "../../../feature/command.ts";
import { type Front, openFront } from "../../../front/front.ts";
import { loadSettings } from "../../../settings/load-settings.ts";
import type { SettingsPlace } from "../../../settings/write-setting.ts";
import { indusHome } from "../../../store/home.ts";
import { copyText, themeCommand } from "../../console/terminal-commands.ts";
import { type Connection, connectToServer } from "../connect.ts";
import type { SessionState } from "../protocol/serve-messages.ts";
import { RemoteSession } from "./remote-session.ts";

/** How much of the session is shown again. */
const SHOWN_AGAIN = { tasks: 3, most: 200 };

export async function runAttach(line: Invocation<Flags>): Promise<number> {
  const { flags, env, parts, secrets, words } = line;
  let hear: RemoteSession["hear"] = () => undefined;
  const connection = await connectToServer(line, (method, params) => hear(method, params));
  if (connection === undefined)
    throw new Problem('indus serve is not running; to start it with a task: indus serve start "task"');
  const state = await chosenSession(connection, words[1]);
  const { cwd } = state;
  const home = indusHome(env);
  const { settings, table: settingsTable } = await loadSettings(home, cwd, parts);
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const front = await openFront({
    ...{ flags, settings, env, isTerminal, cwd, home },
    ...{ goesOn: true, mask: secrets.text },
  });
  const { ask, ui, leave } = front;
  const remote = new RemoteSession({
    ...{ connection, state },
    shown: { leave, ui, ask: isTerminal ? ask : undefined }, // a pipe has nobody to ask
  });
  const signals = stopOnSignals(front.leave);
  try {
    const past: Entry[] = [];
    hear = (method, params) => {
      const entry = method === "event" ? entryIn(params) : undefined;
      if (entry === undefined) remote.hear(method, params);
      else {
        past.push(entry);
        remote.recall(entry);
      }
    };
    const session = state.id;
    await connection.request("subscribe", { session, from: -SHOWN_AGAIN.most });
    hear = (method, params) => remote.hear(method, params);
    void connection.closed.then(() => remote.end("the server has ended"));
    await remote.readCommands();
    const own = commandsHere({ front, remote, place: { home, personHome: homeFolder(env), settingsTable } });
    const ownNames = new Set(own.map(({ name }) => name));
    const before = pastEvents(past, SHOWN_AGAIN);
    const code = await front.run({
      conductor: remote.conductor,
      get commands() {
        return [...remote.commands.filter(({ name }) => !ownNames.has(name)), ...own];
      },
      cwd,
      handles: { exec: remote.exec },
      greeting: [
        `indus ${VERSION}  ${state.model}  ${cwd}`,
        `session ${session}, served; Ctrl+D or /detach leaves it running  /help for commands`,
        ...state.notices,
        "",
      ],
      past: before,
      retold: before.events,
      place: () => ({ mode: remote.state.mode }),
      onPlaceChange: (listener) => remote.onState(listener),
      nextMode: () => remote.nextMode(),
      mode: () => remote.state.mode,
      firstTask: remote.state.busy ? [] : undefined,
      begunElsewhere: () => remote.begun(),
      goesOn: true,
    });
    if (remote.ended !== undefined) process.stderr.write(noticeLine(`the session is gone: ${remote.ended}`));
    return signals.exitCode(code);
  } finally {
    front.close();
    connection.close();
    for (const problem of connection.problems()) process.stderr.write(noticeLine(problem));
    signals.release();
  }
}

/** The named one, which may be shortened to what only one begins with; without a name the only one there is. */
async function chosenSession(
  { request }: Pick<Connection, "request">,
  wanted: string | undefined,
): Promise<SessionState> {
  const { sessions } = await request("status", {});
  const ids = (state: SessionState) => [state.id, ...(state.before ?? [])];
  const found = sessions.filter(
    (state) => wanted === undefined || ids(state).some((id) => id.startsWith(wanted)),
  );
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const listed = (found.length > 0 ? found : sessions).map(
    ({ id, cwd, busy }) => `${id}  ${busy ? "working" : "idle"}  ${cwd}`,
  );
  const what =
    sessions.length === 0
      ? 'indus serve has no sessions; to start one: indus serve start "task"'
      : found.length === 0
        ? `indus serve has no session ${JSON.stringify(wanted)}; it has:`
        : "indus serve has several sessions; name one:";
  throw new Problem([what, ...listed].join("\n"), EXIT_USAGE);
}

function entryIn(params: JsonValue): Entry | undefined {
  const { event } = params as { readonly event: { readonly type: string } };
  const heard = fromObject(event);
  return heard.kind === "entry" ? heard.entry : undefined;
}

interface Here {
  readonly front: Pick<Front, "leave" | "themes" | "toTerminal">;
  readonly remote: Pick<RemoteSession, "lastAnswer">;
  readonly place: SettingsPlace;
}

/** What concerns this terminal, not the session. */
function commandsHere({ front, remote, place }: Here): readonly InstalledCommand[] {
  const own: readonly Command[] = [
    { name: "detach", summary: "leave the session running", run: () => front.leave() },
    {
      name: "copy",
      summary: "copy the last answer to the clipboard",
      run: ({ say }) => say(copyText(remote.lastAnswer, front)),
    },
    themeCommand(() => ({ themes: front.themes, place })),
  ];
  return own.map((command) => ({ ...command, feature: "builtin:console" }));
}
