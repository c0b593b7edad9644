// A file that the person's terminal left open reaches no confined command, whether a shell closes it first or Node already has: each test
// has a twin that finds it.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lacks, lacksLevel } from "../../../../../tests/support/needs.ts";
import { createFolder } from "../../../../../tests/support/test-folder.ts";
import { levelOf, strongAt } from "../../../../../tests/support/test-levels.ts";
import { PATIENCE_MS } from "../../../../../tests/support/until.ts";

/** The output of a host started with a file open at 12 and another at `number`, which may be far from it; nothing is open at 0. */
function hostWith(number: number, code: string): string {
  const opens = number === 0 ? "" : `exec ${number}</etc/passwd;`;
  const script = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done; ${opens} exec "$@"`;
  const host = [
    process.execPath,
    "--conditions=indus-source",
    "--no-warnings",
    "--input-type=module",
    "-e",
    code,
  ];
  const argv = ["--norc", "--noprofile", "-c", `${script}`, "bash", ...host];
  return execFileSync("/bin/bash", argv, {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** Far from all others, so Node's own closing does not reach it. */
const FAR = 200;

const LOOK = `const { leavesFilesOpen } = await import(${at("inherited-files.ts")}); console.log(leavesFilesOpen());`;

describe.skipIf(lacks("bash", existsSync("/bin/bash") && existsSync("/proc/self/fd")))("a host", () => {
  it("knows whether its programs would get a file that it was started with", () => {
    expect(hostWith(0, LOOK)).toBe("false\n");
    expect(hostWith(FAR, LOOK)).toBe("true\n");
  });

  it.skipIf(lacksLevel("bubblewrap", strongAt("bubblewrap")?.level === levelOf("bubblewrap")))(
    "gives that file to no confined command (twin: outside of a sandbox a command has it)",
    () => {
      const root = createFolder({ "tmp/x": "", "home/x": "" });
      const listing = `
        import { localShell } from "indusagi/capabilities";
        import { confineCommands } from ${at("command-sandbox.ts")};
        import { createSandbox } from ${at("sandbox.ts")};
        const level = createSandbox({ prefer: "bubblewrap" }).strong();
        const facts = { root: ${JSON.stringify(root)}, personHome: "/nobody", env: process.env, withhold: [], isWritable: true, network: "off" };
        const confined = confineCommands(level, facts);
        for (const shell of [confined.shell, localShell()]) {
          const run = shell.exec("for n in /proc/self/fd/*; do echo \${n##*/}; done | sort -n | tail -1", {
            cwd: ${JSON.stringify(root)},
            signal: new AbortController().signal,
          });
          const { stdout, stderr } = await run;
          console.log(Number(stdout) >= ${FAR} ? "found" : "not found", stderr);
        }
        await confined.close();`;
      expect(hostWith(FAR, listing)).toBe("not found \nfound \n");
      expect(hostWith(0, listing)).toBe("not found \nnot found \n");
    },
  );
});
