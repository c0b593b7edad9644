// A day with indus, forty steps long, through the real command in a pseudo-terminal: what the screen shows after each is as it was kept in
// `day-walk/`, for three widths. `UPDATE_PAGES=1` writes the screens anew: read what changed in them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createDayScript, DAY, DAY_FILES, type DayStep } from "../support/day-walk.ts";
import { createWorkplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { leaveConsole, type OpenedConsole, openRichConsole } from "../support/open-console.ts";

const FLAGS = ["--permission-mode", "ask", "--sandbox", "off"];
/** Below what a step shows: the prompt, and the status line. */
const IDLE = /\n\n›[^\n]*\n *[^\n]*anthropic\/scripted[^\n]*$/;
const MINUTES_MS = 240_000;

describe.each([40, 80, 120])("a day in %d columns", (columns) => {
  it("looks as it was kept", { ...LONG_ONLY, timeout: MINUTES_MS }, async () => {
    const place = createWorkplace(undefined);
    for (const [path, text] of Object.entries(DAY_FILES)) place.file(path, text);
    const console = await openRichConsole(createDayScript(), {
      ...{ place, columns, rows: 60, args: FLAGS },
      env: { INDUS_HOME: join(place.home, ".indus") }, // as a person has it, whose paths are short
      idle: /\n›[^\n]*\n[^\n]*scripted[^\n]*$/,
    });
    const screens = [`# The first screen\n\n${plain(console.screen(), place)}\n`];
    let sent = "";
    for (const step of DAY) {
      sent = step.line ?? sent;
      screens.push(`# ${step.name}\n\n${plain(await played(console, step, sent), place)}\n`);
    }
    expect(await leaveConsole(console)).toBe(0);
    const path = join(import.meta.dirname, "day-walk", `${columns}.txt`);
    if (process.env.UPDATE_PAGES === "1") writeFileSync(path, screens.join("\n"));
    else expect(screens.join("\n"), `${path} is stale`).toBe(readFileSync(path, "utf8"));
    for (const screen of screens) expect(screen).not.toMatch(/\{"|undefined|\[object/);
  });
});

/** Plays a step to its end. Returns the screen from the line on that the person sent last. */
async function played(
  { answer, screen }: OpenedConsole,
  { keys, shows, isOpen }: DayStep,
  sent: string,
): Promise<string> {
  const shown = (): string => {
    const rows = screen().split("\n");
    const from = rows.lastIndexOf(`› ${sent}`);
    return from < 0 ? "" : rows.slice(from).join("\n"); // not sent yet
  };
  for (const each of keys) await answer(each);
  for (let tries = 0; !(shows.test(unwrapped(shown())) && (isOpen || IDLE.test(shown()))); tries++) {
    if (tries > 600) throw new Error(`waited for ${shows}; the screen shows:\n${screen()}`);
    await pause(50);
  }
  await pause(300); // what comes last is drawn
  return shown();
}

/** A narrow screen breaks its sentences anywhere. */
function unwrapped(screen: string): string {
  return `${screen}\n${screen.replaceAll(/\s*\n\s*/g, " ")}`;
}

/** How a row with a path of this machine breaks depends on the path: from there on, its paragraph is left out. */
function withoutPaths(screen: string, paths: readonly string[]): string {
  const broken = paths.map((path) =>
    Array.from(path, (sign) => sign.replace(/\W/, "\\$&")).join("(?:\\n\\s*)?"),
  );
  const found = new RegExp(`(?<=^|\\n)[^\\n]*(?:${broken.join("|")})(?:.*\\n)*?(?=\\n|$)`, "g");
  return screen.replaceAll(found, "(a path of this machine)\n");
}

/** Without what differs each time: durations, ids, the folder, the seconds of a wait. */
function plain(screen: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  return withoutPaths(screen, [cwd, home])
    .replaceAll(/\b\d{8}-\d{9}-\w{4}\b/g, "SESSION")
    .replaceAll(/\b(?:\d+ min )?\d+(?:\.\d+)? m?s\b/g, "0.2 s")
    .replaceAll(/\b\d+ min ago\b/g, "0 min ago")
    .replaceAll(/^( *(?:\w+ )?[✓✗⊘?⠋] \S+ ).*….*$/gm, "$1…") // how much is cut depends on the duration
    .replaceAll(/[\u2800-\u28ff]/g, "⠋")
    .replaceAll(/ +$/gm, "");
}
