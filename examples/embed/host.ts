// `induscode/addons/host`: addons in a program of one's own. Code runs in processes of its own, confined as in `indus`.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AddonFault,
  addonId,
  createAddonHost,
  EventDispatcher,
  type FrameworkHandles,
  InterceptorChain,
  interceptor,
  observe,
  subscription,
  transform,
} from "induscode/addons/host";
import type { FeatureModule } from "induscode/feature";

const base = realpathSync(mkdtempSync(join(tmpdir(), "indus-example-")));
const [workspace, home] = [join(base, "work"), join(base, "home")];
mkdirSync(join(workspace, ".indus/addons/careful"), { recursive: true });
writeFileSync(
  join(workspace, ".indus/addons/careful/manifest.toml"),
  `id = "careful"\n[[gate]]\nevent = "tool:before"\nmatch-tool = "bash"\nreason = "ask first"\n
[[command]]\nname = "deploy"\nsummary = "deploy"\nexec = "./deploy.sh"\n[[command]]\nname = "help"\nsummary = "taken"\n`,
);
writeFileSync(
  join(workspace, ".indus/addons/polite.mjs"),
  `import { transform } from "induscode/addons";
export function register(surface) {
  surface.on("input:submit", transform((line) => ({ ...line, text: line.text.trim() })));
  surface.interceptTool("read", { enter: ({ args }) => ({ args: { ...args, limit: 10 } }) });
  surface.addTask({ id: "tidy", description: "tidies up", activation: "onDemand", run: () => {} });
}`,
);

const ran: string[] = [];
const handles: FrameworkHandles = {
  exec: async (command, args) => {
    ran.push([command, ...args].join(" "));
    return { stdout: "deployed\n", stderr: "", code: 0 };
  },
};
const greeter: FeatureModule = {
  descriptor: {
    id: "builtin:greeter",
    displayName: "Greeter",
    runtime: "builtin",
    requestedCapabilities: [{ capability: { kind: "alert" }, required: true, reason: "says hello" }],
    declaredTools: [],
    declaredCommands: ["greet"],
    declaredHooks: [],
    declaredTasks: [],
  },
  install({ commands }) {
    commands.register({
      name: "greet",
      summary: "says hello",
      run({ sinks, services }) {
        sinks?.alert("hello");
        const memory = services?.memory("write");
        sinks?.diagnostic("info", `memory: ${memory?.ok === false ? memory.why : "granted"}`);
      },
    });
  },
};
// Nothing is trusted by lying there: it is granted here, or asked for with `ask`.
const alerts: string[] = [];
const tell = (feature: string, text: string): void => void alerts.push(`${feature}: ${text}`);
const host = createAddonHost({ home, handles, granted: ["careful", "polite"], builtins: [greeter], tell });
const faults: AddonFault[] = [];
host.onFault((fault) => void faults.push(fault));
const { dispatch, interceptors, commands, tasks, loaded, runCommand } = await host.loadAll(workspace);
try {
  // Faults are heard and never thrown: one addon claims the name of a command that every session has.
  assert.deepEqual(
    faults.map(({ kind, owner, message }) => `${kind} of ${owner}: ${message}`),
    [
      `conflict of project:careful: project:careful cannot use a name: the command name "/help" is reserved for the host`,
    ],
  );
  assert.deepEqual(loaded, ["careful", "polite"]);

  const line = await dispatch.dispatch("input:submit", { text: "  hello " });
  assert.equal(line.payload.text, "hello");
  const call = { name: "bash", callId: "1", args: { command: "ls" } };
  const { gate } = await dispatch.dispatch("tool:before", call);
  assert.equal(gate?.reason, "ask first");

  const text = async (args: unknown) => ({
    content: [{ kind: "text" as const, text: JSON.stringify(args) }],
    isError: false,
  });
  const outcome = await interceptors.run({ tool: "read", callId: "2", args: { path: "a" } }, text);
  assert.deepEqual(outcome.args, { path: "a", limit: 10 });

  const said: string[] = [];
  assert.equal(await runCommand("deploy", "staging", (words) => void said.push(words)), "done");
  assert.deepEqual([ran, said], [["./deploy.sh staging"], ["deployed"]]);
  assert.equal(await runCommand("nothing"), "unknown");
  assert.deepEqual(
    commands.map(({ name }) => name),
    ["greet", "deploy"],
  );
  // The program's own features act by their grants as well: this one may alert the person, and keep nothing.
  assert.equal(await runCommand("greet"), "done");
  assert.deepEqual(alerts, ["builtin:greeter: hello", "builtin:greeter: info: memory: denied"]);
  assert.deepEqual(
    tasks.report().map(({ id, state }) => [id, state]),
    [["tidy", "waiting"]],
  );
} finally {
  await host.dispose();
}

// The engines alone, as a test of a handler uses them.
const demo = addonId("demo");
const dispatcher = new EventDispatcher([
  subscription(
    demo,
    "input:submit",
    observe(() => undefined),
  ),
  subscription(
    demo,
    "input:submit",
    transform(({ text }) => ({ text: text.toUpperCase() })),
  ),
]);
assert.equal((await dispatcher.dispatch("input:submit", { text: "x" })).payload.text, "X");
const chain = new InterceptorChain([interceptor(demo, "*", { enter: () => ({ args: { safe: true } }) })]);
const done = await chain.run({ tool: "bash", callId: "3", args: {} }, async (args) => ({
  content: [{ kind: "json", value: args }],
  isError: false,
}));
assert.deepEqual(done.result?.content, [{ kind: "json", value: { safe: true } }]);
process.stdout.write("addons/host: ok\n");
