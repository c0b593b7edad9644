// A command that asks to leave the sandbox because of one host, through the real command: the person lets it reach that host inside
// instead. The names lead to this machine, so the proxy answers, and says whether it was the name or the address that it refused.

import { describe, expect, it } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import { createWorkplace, type Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import { lacks } from "../support/needs.ts";
import { openRichConsole } from "../support/open-console.ts";

const isThere = createSandbox().strong()?.level === "bubblewrap";

/** Prints what the proxy answers for each address. */
const GET = `
import { request } from "node:http";
const proxy = process.env.HTTP_PROXY;
if (proxy === undefined) console.log("there is no proxy");
else
  for (const path of process.argv.slice(2)) {
    const { hostname: host, port } = new URL(proxy);
    request({ host, port, path }, (answer) => {
      let text = "";
      answer.on("data", (part) => { text += part; }).on("end", () => console.log(answer.statusCode + " " + text.trim()));
    }).on("error", (error) => console.log("failed: " + error.message)).end();
  }
`;

const BY_ADDRESS = "it has the address 127.0.0.1, which is not public";
const BY_NAME = "nobody allowed it for commands in the sandbox";

/** A question that takes keys, as the last thing on the screen. */
const ARMED = /asks for permission[\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/;
const OFFER = "[h] yes, in the sandbox with the network to a.localhost only";

const get = (hosts: string, outside?: string) => {
  const command = `node get.mjs ${hosts.replaceAll(/\w+/g, "http://$&.localhost/")}`;
  return { calls: [{ name: "bash", input: outside === undefined ? { command } : { command, outside } }] };
};

const ENTERED = { args: ["--permission-mode", "auto"] };

function placeWith(): Workplace {
  const place = createWorkplace();
  place.file("get.mjs", GET);
  return place;
}

const outputs = (place: Workplace): readonly string[] =>
  place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : []));

describe.skipIf(lacks("bubblewrap", isThere))("a command that asks to leave the sandbox for one host", () => {
  it("reaches that host inside by an answer, and so do the commands after it: no other host, and nothing before it", async () => {
    const place = placeWith();
    const script = [
      get("a"),
      get("a b", "both pages"),
      get("a", "the page"),
      get("a b"),
      { text: "All done." },
    ];
    const { type, answer, waitFor, screen } = await openRichConsole(script, { ...ENTERED, place });
    type("go\r");
    await waitFor(ARMED);
    expect(screen()).not.toContain("[h]"); // two hosts
    await answer("n");
    await waitFor(
      /→ no[\s\S]*asks for permission[\s\S]*\[h\][\s\S]*\[r\][^\n]*\n(?: {2,}(?!what)[^\n]*\n)* *anthropic[^\n]*$/,
    );
    expect(screen().replaceAll(/ ?\n {5}(?=\S)/g, " ")).toContain(OFFER);
    await answer("t");
    await waitFor(/All done\./);
    const [before, , granted, later] = outputs(place);
    expect(before).toContain("there is no proxy");
    expect(granted).toContain(`a.localhost:80 is refused: ${BY_ADDRESS}`);
    expect(granted).toContain("sandbox: the person let it run inside with the network to a.localhost");
    expect(later).toContain(`a.localhost:80 is refused: ${BY_ADDRESS}`);
    expect(later).toContain(`b.localhost:80 is refused: ${BY_NAME}`);
    const log = place.entries();
    expect(log.filter(({ type }) => type === "approval")).toMatchObject([
      { approval: { kind: "network", tool: "bash", host: "a.localhost" } },
    ]);
    expect(JSON.stringify(log)).toContain("allowed commands of this session the network to a.localhost");
  });

  it("is for that command alone by an answer that says so", LONG_ONLY, async () => {
    const place = placeWith();
    const script = [get("a", "the page"), get("a"), { text: "All done." }];
    const { type, answer, waitFor } = await openRichConsole(script, { ...ENTERED, place });
    type("go\r");
    await waitFor(ARMED);
    await answer("h");
    await waitFor(/All done\./);
    const [granted, later] = outputs(place);
    expect(granted).toContain(BY_ADDRESS);
    expect(later).toContain("there is no proxy");
  });

  it("is kept for the folder by an answer that says so, for later sessions too", LONG_ONLY, async () => {
    const place = placeWith();
    const script = [get("a", "the page"), { text: "All done." }];
    const { type, answer, waitFor } = await openRichConsole(script, { ...ENTERED, place });
    type("go\r");
    await waitFor(ARMED);
    await answer("f");
    await waitFor(/All done\./);
    type("/permissions\r");
    await waitFor(
      /By your answers, commands in the sandbox reach a\.localhost\.[\s\S]*commands in the sandbox reach a\.localhost {2}in /,
    );
    const later = await openRichConsole([get("a b"), { text: "Again." }], { ...ENTERED, place });
    later.type("go\r");
    await later.waitFor(/Again\./);
    const [output] = outputs(place);
    expect(output).toContain(BY_ADDRESS);
    expect(output).toContain(`b.localhost:80 is refused: ${BY_NAME}`);
  });

  it(
    "is offered no host that a rule asks about (twin: the rule is about another one)",
    LONG_ONLY,
    async () => {
      for (const [rule, isOffered] of [
        ["webfetch(a.localhost)", false],
        ["webfetch(b.localhost)", true],
      ] as const) {
        const place = placeWith();
        place.settings({ localServers: [], permissions: { ask: [rule] } });
        const script = [get("a", "the page"), { text: "All done." }];
        const { type, answer, waitFor, screen } = await openRichConsole(script, { ...ENTERED, place });
        type("go\r");
        await waitFor(ARMED);
        expect(screen().includes("[h]")).toBe(isOffered);
        await answer("n");
        await waitFor(/All done\./);
      }
    },
  );
});
