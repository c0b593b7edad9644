// An addon in TypeScript. It runs in a process of its own, in a sandbox, and reaches the session only through `surface`.
// This block is its manifest: what it asks for stands here, and is read before anything of it runs.
//
// /// indus-addon
// version = "0.1.0"
// description = "Leaves pushing to the person, and says hello."
//
// [[capability]]
// kind = "alert"
// reason = "tells you when the model wanted to push"
// ///

import { type AddonSurface, gate, stop } from "induscode/addons";

/** Called once. It records what the addon contributes; nothing may have an effect yet. */
export function register(surface: AddonSurface): void {
  // A gate may stop what is about to happen. Of the other kinds, `observe` looks on and `transform` changes the payload.
  surface.on(
    "tool:before",
    gate(
      async ({ name, args }) => {
        if (name !== "bash" || !JSON.stringify(args).includes("git push")) return undefined;
        await surface.host.alert("the model wanted to push");
        return stop("pushing is left to the person; say that it is ready to be pushed");
      },
      { onFailure: "block" },
    ),
  );

  // Typed by a person: /my-command. A tool for the model is added with `surface.addTool`.
  surface.addCommand("my-command", {
    summary: "say hello",
    argumentHint: "[name]",
    run: ({ args, say }) => say(`Hello, ${args || "you"}!`),
  });
}
