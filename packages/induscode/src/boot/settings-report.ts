// `/settings`: the value of each setting, where it comes from, and what it does.

import { nearest } from "indusagi/core";
import type { Settings, WrittenRule } from "./settings.ts";

type Named = Exclude<keyof Settings, "models" | "aliases">;

/** For each: what it does, and what applies without it. */
const WORDS: Readonly<Record<Named, readonly [does: string, otherwise: string]>> = {
  model: ["the model, as provider/model", "found by keys and local servers"],
  thinking: ["how hard the model thinks", "the model decides"],
  titleModel: ["the model that gives a session its name, after its first task", "none: its first line"],
  fallbackModels: ["models that stand in when the provider cannot answer", "none"],
  retryMinutes: ["how long a request is retried, in minutes", "10"],
  maxTurns: ["the most model calls for one task", "1000"],
  maxCost: ["the most that a run may cost, in dollars", "no limit"],
  providers: ["providers of your own", "none"],
  localServers: ["addresses on this machine to query for a model", "the usual ports"],
  checkpoints: ["which changes of files /rewind can take back: edits, all or off", "edits"],
  respectGitignore: ["whether grep and find skip what .gitignore lists", "true"],
  console: ["which console a terminal gets: rich or plain", "rich"],
  theme: ["the colours of the rich console", "auto: dark or light, to match the terminal's background"],
  statusLine: ["the parts of the status line, in this order", "all of them"],
  reducedMotion: ["nothing moves more than once a second", "false"],
  vi: ["vi's normal and insert mode in the editor", "false"],
  workItems: ["tools for work items, which outlast a session", "false"],
  memory: ["whether what you had remembered is shown to the model", "if there is any"],
  features: ["built-in features and addons that are turned off", "none"],
  addons: ["which addons are trusted, required, or in other folders", "each is asked about"],
  unmaskedSecrets: ["variables whose values are shown", "none"],
  onGateFailure: ["what happens when a feature's gate fails", "allow"],
  sandbox: ["what the model's commands may write", "workspace-write in the mode auto, else off"],
  network: ["what they can reach from the sandbox", "off"],
  networkHosts: ["the hosts that they can reach if network is hosts", "none"],
  permissions: [
    "the mode, and rules that allow, ask and deny",
    "auto: reading and editing here pass, and what the sandbox confines; the rest asks",
  ],
};

/** All settings, or the one that is named. */
export function settingsReport(settings: Settings, name: string, rules: readonly WrittenRule[] = []): string {
  const names = Object.keys(WORDS) as Named[];
  const wanted = name === "" ? names : names.filter((each) => each === name);
  if (wanted.length === 0) {
    const near = nearest(name, names);
    return `"${name}" is not a setting.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  }
  const widest = Math.max(...wanted.map((each) => each.length));
  return wanted
    .map((each) => {
      const [does, otherwise] = WORDS[each];
      const value = settings[each];
      const shown =
        each === "permissions" && rules.length > 0
          ? `the mode ${settings.permissions?.mode ?? "auto, by default"}, and these rules`
          : value === undefined
            ? `${otherwise} (default)`
            : `${shownValue(each, value)} (settings.json)`;
      const row = `  ${each.padEnd(widest)}  ${shown}\n  ${" ".repeat(widest)}  ${does}`;
      return [row, ...(each === "permissions" ? rules.map(placed) : [])].join("\n");
    })
    .join("\n");
}

/** A rule with its location and layer. */
function placed({ list, source, file, layer }: WrittenRule): string {
  return `    ${list} ${source}  (${layer}: ${file})`;
}

const MOST = 300;

function shownValue(name: Named, value: unknown): string {
  // A provider's entry can contain its key.
  const safe =
    name === "providers" && Array.isArray(value)
      ? value.map(({ id, kind }: { id?: unknown; kind?: unknown }) => ({ id, kind }))
      : value;
  const text = JSON.stringify(safe);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
