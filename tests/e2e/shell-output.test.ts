// The tool `bash` brings what a person would have read, through the real command: by bash, with nobody to ask, as a terminal would show
// it at the end.

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../../packages/induscode/src/addons/sandbox/sandbox.ts";
import type { Workplace } from "../support/indus.ts";
import { isInstalled, lacks } from "../support/needs.ts";
import { createServedShared, type ServedWorkplace } from "../support/served-workplace.ts";

interface Ran {
  /** What the model read of each command. */
  readonly texts: readonly string[];
  readonly place: ServedWorkplace;
}

/** One run in which the model starts these commands, one after the other. */
async function ran(
  commands: readonly string[],
  {
    args = ["--permission-mode", "bypass"],
    env = {},
    prepare,
  }: {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly prepare?: (place: Workplace) => void;
  } = {},
): Promise<Ran> {
  const place = await createServedShared([
    ...commands.map((command) => ({ calls: [{ name: "bash", input: { command } }] })),
    { text: "Done." },
  ]);
  prepare?.(place);
  const { code, stderr } = await place.run(["-p", "go", "--model", "anthropic/x", ...args], { env });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return { place, texts: place.entries().flatMap((entry) => (entry.type === "tool" ? [entry.text] : [])) };
}

const isConfined = createSandbox().strong() !== undefined;
/** Outside the sandbox, and inside it where there is one. */
const WAYS: readonly [string, readonly string[]][] = [
  ["outside the sandbox", ["--permission-mode", "bypass"]],
  ...(isConfined
    ? [["in the sandbox", ["--permission-mode", "bypass", "--sandbox", "workspace-write"]] as const]
    : []),
].map(([name, args]) => [name as string, args as readonly string[]]);

describe.skipIf(lacks("bash", isInstalled("bash"))).each(WAYS)("a command %s", (_name, args) => {
  it("is run by bash, and the tool says so", async () => {
    const lines = [
      "printf 'X=1\\n' > e.sh; source ./e.sh; echo $X; [[ a == a ]] && echo yes; set -o pipefail; false | true; echo $?",
      "a=(2 3); echo {x,y} $a $'\\x41'; cat <(echo sub) <<< no; { echo err >&2; } |& cat &> f; cat f",
    ];
    const { texts, place } = await ran(lines, { args });
    expect(place.server.requests[0]?.rawBody).toContain("Run by bash -c.");
    expect(texts).toEqual([
      "stdout:\n1\nyes\n1\n\nstatus: exit code 0",
      "stdout:\nx y 2 A\nsub\nerr\n\nstatus: exit code 0",
    ]);
  });

  it("starts without what the environment would run first; the twin, a plain bash, runs it", async () => {
    const env = { BASH_ENV: "./before.sh", "BASH_FUNC_ls%%": "() { echo function; }", SHELLOPTS: "noglob" };
    const { texts, place } = await ran(["echo *.sh; ls", "bash -c ls"], {
      args,
      env,
      prepare: ({ file }) => file("before.sh", "echo before\n"),
    });
    expect(texts).toEqual([
      "stdout:\nbefore.sh\nbefore.sh\n\nstatus: exit code 0",
      "stdout:\nbefore.sh\n\nstatus: exit code 0",
    ]);
    const plain = spawnSync("bash", ["-c", "ls"], { cwd: place.cwd, env: { ...process.env, ...env } });
    expect(`${plain.stdout}`).toBe("before\nfunction\n");
  });
});
