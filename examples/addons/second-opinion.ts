// Sessions of an addon's own: a tool with which the model asks somebody who has not seen the conversation, and a command with
// which the person asks the same one further. They read as far as this addon may, and end with it.
//
// /// indus-addon
// [[capability]]
// kind = "sessions"
// spawn = true
// message = false
// restore = true
// reason = "has a reviewer of its own look at what it is asked about"
// [[capability]]
// kind = "files"
// read = true
// write = false
// execute = false
// reason = "lets that reviewer read the workspace"
// ///

import type { AddonSurface } from "induscode/addons";

export const version = "1.0.0";

/** What one question may use up: model calls, and what they read and write. */
const LIMITS = { turns: 20, tokens: 300_000 };

export function register({ addTool, addCommand, host }: AddonSurface): void {
  addTool({
    name: "second_opinion",
    description: "Ask a reviewer who has not seen this conversation. Say all that they need to know.",
    parameters: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
    requiredCapabilities: [{ kind: "sessions", spawn: true }],
    async run({ question }: { question: string }) {
      const id = await host.sessionSpawn("reviewer", question, undefined, LIMITS);
      const { said } = await host.sessionWait(id);
      return `${said}\n\n(/ask-again ${id} TEXT asks further.)`;
    },
  });

  addCommand("ask-again", {
    summary: "Asks a reviewer further: /ask-again session-1 But why?",
    async run({ args, say }) {
      const [id = "", ...words] = args.split(" ");
      if (words.length === 0) {
        for (const { id, agent, state, turns } of await host.sessionList())
          say(`${id} (${agent}): ${state}, ${turns} model calls`);
        return;
      }
      await host.sessionRestore(id, words.join(" "));
      say((await host.sessionWait(id)).said);
    },
  });
}
