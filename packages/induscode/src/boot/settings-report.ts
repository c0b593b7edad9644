// `/settings`: the value of each setting, where it comes from, and what it does.

import { nearest } from "indusagi/core";
import type { Settings, WrittenRule } from "./settings.ts";

type Named = Exclude<keyof Settings, "models" | "aliases">;

/** For each: what it does, and what applies without it. */
const WORDS: Readonly<Record<Named, readonly [does: string, otherwise: string]>> = {
  model: ["the model, as provider/model", "found by keys and local servers"],
  thinking: ["how hard the model thinks", "as the model does by itself"],
  titleModel: ["the model that gives a session its name, after its first task", "none: its first line"],
  fallbackModels: ["models that stand in when the provider cannot answer", "none"],
  retryMinutes: ["how long a request is tried again, in minutes", "10"],
  maxTurns: ["model calls for one task", "1000"],
  maxCost: ["dollars that a run may cost", "no limit"],
  providers: ["providers of your own", "none"],
  localServers: ["addresses on this machine that are asked for a model", "the usual ports"],
  checkpoints: ["which changes of files /rewind can take back: edits, all or off", "edits"],
  respectGitignore: ["whether grep and find leave out what .gitignore names", "true"],
  console: ["which console a terminal gets: rich or plain", "rich"],
  theme: ["the colours of the rich console", "auto: dark or light, as the terminal's background"],
  statusLine: ["the parts of the status line, in this order", "all of them"],
  reducedMotion: ["nothing moves more than once a second", "false"],
  vi: ["vi's normal and insert mode in the editor", "false"],
  workItems: ["tools for work items, which outlast a session", "false"],
  memory: ["whether what the person had remembered is shown to the model", "where there is some"],
  addons: ["which addons are trusted, required, or lie elsewhere", "each is asked about"],
  unmaskedSecrets: ["variables whose values are shown", "none"],
  onGateFailure: ["what a feature's gate does that fails", "allow"],
  sandbox: ["what the model's commands may write", "in the mode auto workspace-write, else off"],
  network: ["what they reach in the sandbox", "off"],
  networkHosts: ["the hosts that they reach where network is hosts", "none"],
  permissions: [
    "the mode, and rules that allow, ask and deny",
    "auto: reading and editing here pass, and what the sandbox confines; the rest is asked",
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
