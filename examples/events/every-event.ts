// /// indus-addon
// description = "One handler or two for each event, as docs/reference/events.md shows them."
// [[capability]]
// kind = "files"
// execute = true
// reason = "sets CI=1 for commands"
// ///

import { type AddonSurface, gate, observe, stop, transform } from "induscode/addons";

export function register(surface: AddonSurface): void {
  surface.on(
    "session:start",
    observe(({ sessionId }) => surface.host.log(`session ${sessionId} began`)),
  );

  surface.on(
    "session:end",
    observe(({ sessionId }) => surface.host.log(`session ${sessionId} is over`)),
  );

  surface.on(
    "turn:start",
    observe(({ delegate = "the session" }) => surface.host.log(`${delegate} is at work`)),
  );

  surface.on(
    "turn:end",
    observe(({ delegate = "the session" }) => surface.host.log(`${delegate} has done its work`)),
  );

  // Stops a call: the model reads why.
  surface.on(
    "tool:before",
    gate(({ name, args }) => {
      const pushes = name === "bash" && /\bgit push\b/.test(JSON.stringify(args));
      return pushes ? stop("pushing is left to the person") : undefined;
    }),
  );

  // Changes its arguments; what it does not return stays.
  surface.on(
    "tool:before",
    transform(({ name, args }) => {
      if (name !== "bash") return undefined;
      const { command } = args as { readonly command: string };
      return {
        args: { ...(args as object), command: command.replace(/^npm ci$/, "npm ci --ignore-scripts") },
      };
    }),
  );

  surface.on(
    "tool:after",
    transform(({ text }) => ({ text: text.replace(/\S+@\S+\.\w+/g, "(an address)") })),
  );

  surface.on(
    "chat:params",
    transform(({ params }) => ({ params: { ...params, temperature: 0 } })),
  );

  surface.on(
    "chat:message",
    transform(({ message }) => ({
      message: {
        ...message,
        content: message.content.map((block) =>
          block.kind === "text" ? { ...block, text: block.text.replaceAll("utilize", "use") } : block,
        ),
      },
    })),
  );

  // Needs the grant `files` with `execute`: a variable can choose what runs.
  surface.on(
    "shell:env",
    transform(({ env }) => ({ env: { ...env, CI: "1" } })),
  );

  // Stops the line: the person reads why, and the model never sees it.
  surface.on(
    "input:submit",
    gate(({ text }) => (/\bkey-[a-z0-9]{8,}\b/.test(text) ? stop("that looks like a secret") : undefined)),
  );

  // Changes the line; the log keeps what was typed.
  surface.on(
    "input:submit",
    transform(({ text }) => ({ text: text.replace(/^todo:/i, "Add this to the list of open work:") })),
  );

  // For this request only: the next one starts from the log again.
  surface.on(
    "context:build",
    transform(({ messages }) => ({
      messages: [
        ...messages,
        { role: "user", content: [{ kind: "text", text: "(The release is frozen until Monday.)" }] },
      ],
    })),
  );

  surface.on(
    "compact:build",
    transform(({ summary }) => ({ summary: `${summary}\n\nThe release is frozen until Monday.` })),
  );

  surface.on(
    "compact:before",
    gate(({ reason }) => (reason === "asked" ? stop("the transcript is the evidence here") : undefined)),
  );
}
