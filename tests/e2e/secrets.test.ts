// No secret that indus knows comes out anywhere, in any form: the real command, each mode, each place.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isLong, LONG_ONLY, rows, theFirst } from "../support/long-form.ts";
import {
  createSecretPlace,
  FORMS,
  playSecretScene,
  SECRET,
  type SecretScene,
  SMUGGLER,
  secretEnvironment,
} from "../support/secret-scene.ts";
import { openTerminal } from "../support/terminal.ts";

const PLACEHOLDER = /\[secret (?:FLEET_CODE|DB_PASSWORD)\]/;
let masked: SecretScene;
/** The twin: the person's settings show the same secret. Only the long form plays it. */
let shown: SecretScene;

beforeAll(async () => {
  masked = await playSecretScene({ isMasked: true });
  if (isLong) shown = await playSecretScene({ isMasked: false });
}, 120_000);

const WITH_EACH_FORM = [
  "the result of an addon's tool",
  "the result of read",
  "the output of a command",
  "the model's message in the log",
  "the person's line in the log",
  "a notice",
  "an alert",
  "a diagnostic",
  "a fault",
  "an addon's log",
  "a cassette",
  "the requests",
  "an alert in --json",
  "a fault in --json",
  "the title of a call in --json",
  "the text that streams in --json",
  "the thinking that streams in --json",
  "a report",
  "what a command says",
  "a complaint",
] as const;

describe.each(WITH_EACH_FORM)("%s", (place) => {
  it.each(Object.entries(FORMS))("holds the placeholder, and not the secret: %s", (form, write) => {
    const told = new RegExp(`${form}: .{0,3}${PLACEHOLDER.source}.{0,4} \\.`);
    expect(masked.places[place]).toMatch(told);
    expect(masked.places[place]).not.toContain(write(SECRET));
  });

  it.each(Object.entries(FORMS))(
    "holds the secret where it is shown (the twin): %s",
    LONG_ONLY,
    (_, write) => {
      expect(shown.places[place]).toContain(write(SECRET));
    },
  );
});

// Each was written in two pieces with a pause between them.
describe.each(["the output of a command", "the output of a job", "an addon's log"])("%s", (place) => {
  it("holds no secret that came in two pieces", () => {
    expect(masked.places[place]).toMatch(new RegExp(`split: \\n?${PLACEHOLDER.source} \\.`));
  });

  it("holds one that came in two pieces where it is shown (the twin)", LONG_ONLY, () => {
    // Printed piece by piece it has line breaks of the host between them.
    expect(shown.places[place]?.replaceAll("\n", "")).toContain(`split: ${SECRET} .`);
  });
});

it("is not in the list of the quarantine, which keeps the last fault", () => {
  expect(masked.places["the list of the quarantine"]).toMatch(PLACEHOLDER);
});

it("is in nothing at all that indus wrote, printed or sent", () => {
  for (const [form, write] of Object.entries(FORMS))
    expect(masked.everything.includes(write(SECRET)), form).toBe(false);
  expect(masked.everything).not.toContain(JSON.stringify(JSON.stringify(SECRET)).slice(1, -1));
});

it("is in all of it where it is shown (the twin)", LONG_ONLY, () => {
  expect(shown.places["the list of the quarantine"]).toContain(SECRET);
  for (const [form, write] of Object.entries(FORMS))
    expect(shown.everything.includes(write(SECRET)), form).toBe(true);
});

it("leaves a log whose every request is explained: what was logged is what was sent", () => {
  expect(masked.places["what verifies the log"]).toContain("Every request is explained");
});

describe.each(
  rows(
    [
      ["masked", true],
      ["shown (the twin)", false],
    ],
    theFirst,
  ),
)("on a terminal, %s", (_, isMasked) => {
  it("the answer, the calls, an addon's lines and the question about a command", {
    timeout: 60_000,
  }, async () => {
    const { place, server } = await createSecretPlace(isMasked);
    onTestFinished(() => server.close());
    rmSync(join(place.cwd, ".indus/addons/breaker.ts"));
    place.file(".indus/addons/smuggler.ts", SMUGGLER);
    const flags = ["--model", "anthropic/scripted", "--allow", "process", "--allow", "tell"];
    const terminal = openTerminal({
      console: "plain",
      place,
      url: server.url,
      args: [...flags, "--grant", "telltale", "--grant", "smuggler"],
      env: secretEnvironment(isMasked),
      columns: 1_000,
    });
    await terminal.waitFor(/\n›$/);
    terminal.type("go\r");
    await terminal.waitFor(/echo [^\n]*[\s\S]*\[y\]/);
    const question = terminal.screen();
    terminal.type("\x03");
    await terminal.waitFor("stopped");
    terminal.type("/tell-me\r");
    await terminal.waitFor(/base64url: .* \./);
    const screen = terminal.screen();
    for (const [form, write] of Object.entries(FORMS)) {
      expect(screen.includes(write(SECRET)), form).toBe(!isMasked);
      expect(terminal.raw().includes(write(SECRET)), form).toBe(!isMasked);
    }
    expect(question).toMatch(isMasked ? /echo \[secret/ : /echo Qx7/);
    terminal.type("\x04");
    await terminal.left;
  });
});
