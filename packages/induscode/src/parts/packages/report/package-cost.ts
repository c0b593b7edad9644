// What a package costs in each request to the model, in tokens.

import { readRegistration } from "../../../addons/process/protocol/read-registration.ts";
import { estimateTokens } from "../../../briefing/token-estimate.ts";
import { plural } from "../../../console/figures.ts";
import { DEFAULT_TOOL_BYTES } from "../../../deck/offered-tools.ts";
import { isServerTool } from "../../../feature/tool-names.ts";
import { loadSettings } from "../../../settings/load-settings.ts";
import type { PackagesLine, Place } from "../packages-here.ts";
import { keptRegistration } from "./contributions.ts";
import { textTokens } from "./plugin-report.ts";

/** What it costs; `tokens` is absent where nobody knows yet. */
interface PackageCost {
  readonly tokens?: number;
  readonly words: string;
}

interface Subject {
  readonly folder: string;
  /** It has a program, which says what its tools are once it has been started. */
  readonly hasProgram: boolean;
  /** The hash of its files. */
  readonly content: string;
}

/** What it costs in a session here, as far as that is known: of its tools alone, as those of several servers may be more than a request describes. */
export async function costHere(
  { folder, hasProgram, content }: Subject,
  { parts }: PackagesLine,
  { home, cwd }: Place,
): Promise<PackageCost> {
  const { settings } = await loadSettings(home, cwd, parts);
  const registration = keptRegistration({ home, content });
  const ofTexts = textTokens(folder);
  if (registration === undefined && hasProgram && ofTexts === 0)
    return { words: "not known until it has started" };
  const tools = registration === undefined ? [] : readRegistration(registration).tools;
  const cards = tools
    .filter(({ resources }) => resources === undefined) // one pair of tools stands for those of all servers
    .map(({ name, description, parameters }) => ({
      name,
      text: JSON.stringify({ name, description, parameters }),
    }));
  const ofServers = cards.filter(({ name }) => isServerTool(name));
  const bytes = ofServers.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const all = tokensOf(cards.map(({ text }) => text));
  if (bytes <= (settings.addons?.toolBytes ?? DEFAULT_TOOL_BYTES)) {
    const tokens = ofTexts + all;
    return { tokens, words: tokens === 0 ? "nothing in each request" : inEach(tokens) };
  }
  const named = ofServers.map(({ name }) => name);
  const described = cards.filter(({ name }) => !isServerTool(name)).map(({ text }) => text);
  const tokens = ofTexts + tokensOf(named) + tokensOf(described);
  const whole = plural(tokensOf(ofServers.map(({ text }) => text)), "token");
  const words = `${inEach(tokens)}: requests list ${plural(named.length, "tool")} by name; definitions, about ${whole} together, are loaded when needed`;
  return { tokens, words };
}

function inEach(tokens: number): string {
  return `about ${plural(tokens, "token")} in each request`;
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}
