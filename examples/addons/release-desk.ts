// All that an addon may show and ask, in one command: /release asks what to release and for a token, and shows what it would do.
// Where nobody sits at a console (`-p`, `--json`, a delegate) it says so instead of waiting.
//
// /// indus-addon
// [[capability]]
// kind = "ui"
// status = true
// render = true
// ask = true
// reason = "asks you what to release, and shows how far it is"
// ///

import { type AddonSurface, HostRefused } from "induscode/addons";

export const version = "1.0.0";

const STEPS = ["changelog", "tag", "upload"] as const;

export function register({ addCommand, ui }: AddonSurface): void {
  addCommand("release", {
    summary: "prepares a release",
    async run({ say }) {
      const offers = await ui.offers();
      if (!offers.ask) {
        say("A release is prepared at a console: there is nobody to ask here.");
        return;
      }
      const size = await ui.select("How large is the change?", ["patch", "minor", "major"]);
      if (size === undefined) return;
      const token = await ui.input("The token of the registry?", { isSecret: true });
      await ui.render({
        kind: "table",
        title: "What would be done",
        columns: ["step", "what"],
        rows: STEPS.map((step) => [step, step === "tag" ? `a ${size} version` : "as always"]),
      });
      await ui.render({ kind: "list", items: STEPS, isNumbered: true });
      await ui.render({
        kind: "keyValue",
        entries: [
          { key: "size", value: size },
          { key: "token", value: token ? "given" : "none" },
        ],
      });
      if ((await ui.confirm("Release it?")) !== true) {
        await ui.render({ kind: "text", text: "Nothing was released." });
        return;
      }
      for (const [done, step] of STEPS.entries()) {
        await ui.status(`releasing: ${step}`);
        await ui.render({ kind: "progress", label: "release", done: done + 1, total: STEPS.length });
      }
      await ui.status("");
      await ui.render({
        kind: "markdown",
        title: "Done",
        text: "**Released** (not really: this is an example).",
      });
    },
  });
  addCommand("remind", {
    summary: "keeps a text in the status line",
    async run({ args, say }) {
      try {
        await ui.status(args);
      } catch (error) {
        if (!(error instanceof HostRefused)) throw error;
        say(`The status line cannot be used: ${error.kind}`);
      }
    },
  });
}
