// The log file of one addon: what it prints, writes to its standard error and does wrong. For its author; never larger than
// twice its limit on disk, and the file system is not touched before there is something to write.

import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { describeError, errorCode, printable, type SecretMask } from "indusagi/core";
import type { FeatureDiagnostic } from "../../feature/install-report.ts";
import type { DiagnosticSeverity } from "../../feature/services.ts";
import { HOME_FILES, homePath } from "../../store/home-files.ts";

/** A log that grows larger is rotated: the old one is kept next to it. */
const MAX_BYTES: number = HOME_FILES.addonLog.maxBytes;

/** What an addon may write to its log in a second, directly or through the host; more is delayed or dropped. */
export const LOG_BYTES_A_SECOND: number = 256 * 1024;

interface AddonLog {
  /** Appends a text as is; control characters are made visible. Never throws. */
  readonly write: (text: string) => void;
  readonly close: () => void;
}

/** The path of an addon's log below the home folder. */
export function addonLogPath(home: string, id: string): string {
  return homePath(home, "addonLog", id);
}

/** A line that the addon wrote into its report, as its log has it. */
export function diagnosticLine({ severity, text }: FeatureDiagnostic): string {
  return `diagnostic ${severity}: ${text.replace(/\s+/g, " ").trim()}\n`;
}

/** The last of those lines in an addon's log, oldest first; none where there is no log. */
export function lastDiagnostics(home: string, id: string, count: number): readonly FeatureDiagnostic[] {
  const lines = readLog(addonLogPath(home, id)).matchAll(/^diagnostic (info|warning|error): (.*)$/gm);
  return [...lines].slice(-count).map(([, severity, text = ""]) => ({
    severity: severity as DiagnosticSeverity,
    text,
  }));
}

function readLog(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

/** With `secrets`, no secret is written, however it is split into pieces. */
export function createAddonLog(home: string, id: string, secrets?: Pick<SecretMask, "stream">): AddonLog {
  const path = addonLogPath(home, id);
  let file: number | undefined;
  let bytes = 0;
  let isBroken = false;
  const stream = secrets?.stream();
  return {
    write(text) {
      const shown = stream?.write(text) ?? text;
      // Text that is held back continues with the next piece, on the same line.
      keep(shown.endsWith("\n") || stream?.isHolding() ? shown : `${shown}\n`);
    },
    close() {
      if (stream?.isHolding()) keep(`${stream.end()}\n`);
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };

  function keep(text: string): void {
    if (isBroken || text === "") return;
    try {
      file ??= open();
      if (bytes > MAX_BYTES) {
        closeSync(file);
        renameSync(path, `${path}.old`);
        file = open();
      }
      bytes += writeSync(file, printable(text));
    } catch (error) {
      isBroken = true; // reported once: a failing write is not retried a thousand times
      process.emitWarning(`${path} cannot be written: ${describeError(error)}`);
    }
  }

  function open(): number {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const opened = openSync(path, "a", 0o600);
    bytes = fstatSync(opened).size;
    return opened;
  }
}
