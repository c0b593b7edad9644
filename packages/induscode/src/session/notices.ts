// What the person is told about a session by the host and by features: through the session while somebody listens, otherwise
// as lines to show before and after.

import type { SecretMask } from "indusagi/core";
import { limitedLines } from "../cli/limited-lines.ts";
import type { Conductor, ConductorEvent, ConductorFault } from "../conductor/contract.ts";
import type { RegistryHost, SessionHost } from "../feature/host.ts";
import type { FeatureDiagnostic } from "../feature/install-report.ts";

/** What features did wrong, and what they say of their work. */
export type FeatureNews = Extract<ConductorEvent, { readonly kind: "fault" | "diagnostic" }>;

export interface SessionNotices {
  /** Each is shown by {@link told}. */
  readonly lines: string[];
  /** The lines, with paths as short as they can be. */
  readonly told: () => readonly string[];
  /** Those of features. */
  readonly unheard: readonly FeatureNews[];
  /** The last lines that a feature wrote into its report, at most {@link MAX_RECENT}. */
  readonly recent: (feature: string) => readonly FeatureDiagnostic[];
  readonly tell: (line: string) => void;
  /** Tells what nobody did wrong. */
  readonly inform: (line: string) => void;
  readonly fault: (fault: ConductorFault) => void;
  readonly alert: SessionHost["alert"];
  readonly diagnostic: RegistryHost["diagnostic"];
  /** From now on everything is announced, or kept again when there is no listener. */
  readonly announceTo: (listener: Conductor["announce"] | undefined) => void;
}

/** How many lines of a feature's report are kept while a session runs; its log has the others. */
export const MAX_RECENT = 20;

/** `first` are already lines. `shorten` shortens the paths in what the host itself says. */
export function createNotices(
  first: readonly string[],
  secrets: Pick<SecretMask, "text">,
  shorten: (text: string) => string = (text) => text,
): SessionNotices {
  const lines = [...first];
  const unheard: FeatureNews[] = [];
  const said = new Map<string, FeatureDiagnostic[]>();
  let announce: Conductor["announce"] | undefined;
  const put = (event: Parameters<Conductor["announce"]>[0], line: string): void => {
    if (announce) announce(event);
    else lines.push(secrets.text(line));
  };
  const keep = (event: FeatureNews): void => {
    if (!announce) unheard.push(event);
  };
  return {
    lines,
    unheard,
    recent: (feature) => said.get(feature) ?? [],
    tell(said) {
      const message = shorten(said);
      put({ kind: "fault", fault: { kind: "feature", message } }, message);
    },
    inform(said) {
      const text = shorten(said);
      put({ kind: "alert", text }, text);
    },
    told: () => lines.map(shorten),
    fault(fault) {
      keep({ kind: "fault", fault: { ...fault, message: secrets.text(fault.message) } });
      put({ kind: "fault", fault }, fault.message);
    },
    alert(feature, text) {
      const line = `${feature}: ${text}`;
      put({ kind: "alert", text: line, owner: feature }, line);
    },
    diagnostic(owner, severity, text) {
      const masked = secrets.text(text);
      said.set(owner, [...(said.get(owner) ?? []), { severity, text: masked }].slice(-MAX_RECENT));
      keep({ kind: "diagnostic", owner, severity, text: masked });
      put({ kind: "diagnostic", owner, severity, text }, `${owner}: ${severity}: ${text}`);
    },
    announceTo(listener) {
      announce = listener;
    },
  };
}

/** Those that {@link limitedLines} shows; `whole` shows all of them. */
export function fewNews(news: readonly FeatureNews[], whole: string): readonly FeatureNews[] {
  const texts = news.map((each) => (each.kind === "fault" ? each.fault.message : each.text));
  return limitedLines(texts, whole).map((message, at) => {
    const each = news[at];
    return each && texts[at] === message ? each : { kind: "fault", fault: { kind: "feature", message } };
  });
}
