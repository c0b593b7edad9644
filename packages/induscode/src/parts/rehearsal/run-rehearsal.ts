// The rehearsal: a recording plays the model, everything else is real. It shows the product without a key and proves in a test that it
// works, because the recording checks at each turn that reality still matches.

import { cpSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { homeFolder } from "indusagi/core";
import { assetPath } from "../../cli/assets.ts";
import { usesColour } from "../../cli/colour.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { noticeLine } from "../../cli/notice-line.ts";
import { stopOnSignals } from "../../cli/signals.ts";
import { createDialogue } from "../../console/dialogue.ts";
import { runPlainConsole } from "../../console/plain-console.ts";
import { PROMPTS } from "../../deck/builtins/prompt-commands.ts";
import type { InstalledCommand } from "../../feature/command.ts";
import { type Front, type FrontFacts, openFront, wantsRich } from "../../front/front.ts";
import { createStatusFacts } from "../../front/status-facts.ts";
import { SETTINGS_FILE, waysToAModel } from "../../session/models/model-search.ts";
import { type IndusSession, openIndus } from "../../session/open-indus.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { indusHome, inHome } from "../../store/home.ts";

const TASK = "The tests fail. Find out why and repair the code, not the tests.";

/** A session of its own: only flags for permissions and addons apply; they can refuse what the recording does. */
export async function runRehearsal({
  flags,
  env,
  startedIn,
  secrets,
  parts,
}: Omit<Invocation, "words" | "attachments">): Promise<number> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "indus-rehearsal-")));
  cpSync(assetPath("rehearsal/repository"), cwd, { recursive: true });
  const { NODE_OPTIONS: _, PATH = "", ...others } = env; // the recording was made without these options
  const { stdin, stdout: output } = process;
  const home = indusHome(env);
  const settingsFile = inHome(SETTINGS_FILE, { home, personHome: homeFolder(env) });
  const isTerminal = stdin.isTTY === true && output.isTTY === true;
  const { settings } = await loadSettings(home, cwd, parts);
  const mask = secrets.text;
  const front = await openStage({ flags, settings, env, isTerminal, cwd, home, mask });
  const line = { flags: { cwd }, words: [], attachments: [], env, startedIn: cwd, secrets, parts };
  const session: IndusSession = await openIndus({
    flags: {
      cassette: assetPath("rehearsal/cassette.jsonl"),
      allow: ["bash(node --test)", ...(flags.allow ?? [])],
      deny: flags.deny ?? [],
      grant: flags.grant,
      addon: flags.addon,
      "permission-mode": flags["permission-mode"],
    },
    cwd,
    startedIn,
    home,
    env: { ...others, PATH: `${dirname(process.execPath)}:${PATH}` }, // the tests run on the same Node as indus
    secrets,
    parts,
    pace: output.isTTY === true,
    showsProgress: front.isRich,
    front: { leave: front.leave, line, themes: front.themes, toTerminal: front.toTerminal },
  }).catch((error: unknown) => {
    front.close();
    throw error;
  });
  const { conductor, handles } = session;
  const signals = stopOnSignals(() => conductor.abort());
  try {
    const exitCode = await front.run({
      conductor,
      get commands() {
        return session.commands.map(playable);
      },
      cwd,
      handles,
      greeting: [...greeting(cwd), ...session.notices, ""],
      firstTask: [{ kind: "text", text: TASK }],
      isOneTask: true,
      nextMode: session.modes.next,
      place: createStatusFacts({
        ...session,
        mode: session.modes.certain,
        cwd,
        model: () => conductor.status().model,
        jobs: () => 0,
      }),
    });
    output.write(farewell(cwd, conductor.status().logPath, settingsFile));
    return signals.exitCode(exitCode);
  } finally {
    for (const notice of await session.close()) process.stderr.write(noticeLine(notice));
    signals.release();
  }
}

const NO_MODEL = "A recording plays the model here; this command needs a real model.";
const ONE_TASK =
  "The rehearsal is one recorded task and ends with it; this command needs a session of your own.";
/** The built-in commands that would only fail here, and why. */
const WHY_NOT: ReadonlyMap<string, string> = new Map([
  ...["model", "thinking", "compact"].map((name) => [name, NO_MODEL] as const),
  ...["new", "clear", "fork", "resume", "tree", "rewind"].map((name) => [name, ONE_TASK] as const),
  ["plan", "The recording does not plan; this command needs a real model."],
]);

/** The command, as in a session, or one that says in one line why it does nothing. */
function playable(command: InstalledCommand): InstalledCommand {
  const { complete: _, picks: _picks, ...rest } = command;
  const builtIn = command.feature.startsWith("builtin:") ? WHY_NOT.get(command.name) : undefined;
  const reason = command.feature === PROMPTS ? NO_MODEL : builtIn;
  return reason === undefined ? command : { ...rest, run: ({ say }) => say(reason) };
}

type RehearsalStage = Pick<Front, "isRich" | "run" | "close" | "leave" | "themes" | "toTerminal">;

/** The rich console if the terminal supports it; otherwise log-style lines, which need nobody present. */
async function openStage(facts: FrontFacts): Promise<RehearsalStage> {
  if (wantsRich(facts)) return openFront(facts);
  const input = new PassThrough();
  const output = process.stdout;
  const colour = usesColour(output, facts.env);
  const dialogue = createDialogue({ input, output, isTerminal: false, colour });
  return {
    isRich: false,
    close: dialogue.close,
    leave: dialogue.leave,
    run: (options) => {
      input.end(`${TASK}\n`);
      const { firstTask: _, ...rest } = options;
      return runPlainConsole({ ...rest, dialogue });
    },
  };
}

function greeting(cwd: string): readonly string[] {
  return [
    "indus rehearsal: a recording plays the model. The tools, the files and the test runs are real.",
    `A fresh copy of a small repository with failing tests is in ${cwd}`,
  ];
}

function farewell(cwd: string, logPath: string, settingsFile: string): string {
  return [
    "",
    "That was a recording of a model; everything it did really happened:",
    `  the repaired repository   ${cwd}`,
    `  the session log           ${logPath}`,
    "",
    "To work with a real model, do one of these and start indus again:",
    ...waysToAModel(settingsFile),
    "",
  ].join("\n");
}
