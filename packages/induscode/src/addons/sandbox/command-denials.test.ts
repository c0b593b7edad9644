// What a confined command's output says about the sandbox, and what it does not.

import type { ShellExecResult } from "indusagi/capabilities";
import { describe, expect, it } from "vitest";
import { createDenials } from "./command-denials.ts";

const ended = (code: number, stderr: string, stdout = ""): ShellExecResult => ({
  ...{ code, stdout, stderr, aborted: false, timedOut: false, signal: null, totalBytes: 0 },
});

const reach = { isWritable: true, network: "none" } as const;
const explain = (command: string, result: ShellExecResult): string =>
  createDenials(reach, "bubblewrap")(command, result) ?? "";

const FILES = "can write only in the working folder";
const NETWORK = "has no network access";

describe("a command that succeeded", () => {
  it.each([
    [
      "make install || true",
      "install: cannot create regular file '/usr/x': Permission denied\nmake: *** 1",
      FILES,
    ],
    ["touch /usr/x; echo done", "touch: cannot touch '/usr/x': Read-only file system\n", FILES],
    ["cat secret; echo done", "cat: secret: Permission denied\n", FILES],
    ["node a.js; true", "Error: EACCES: permission denied, open '/x'\n    at a.js:1", FILES],
    ["python a.py; true", "PermissionError: [Errno 13] Permission denied: '/x'\n", FILES],
    ["cargo x; true", "error: Read-only file system (os error 30)\n", FILES],
    ["curl https://a.example || true", "curl: (6) Could not resolve host: a.example\n", NETWORK],
    [
      "curl http://127.0.0.1:9 || true",
      "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server\n",
      NETWORK,
    ],
    ["ping a; true", "ping: a: Temporary failure in name resolution\n", NETWORK],
    ["node a.js; true", "Error: getaddrinfo ENOTFOUND a.example\n", NETWORK],
  ])("is explained where a part of it met the sandbox: %s", (command, stderr, why) => {
    const said = explain(command, ended(0, stderr));
    expect(said).toContain("which may be why part of it failed");
    expect(said).toContain(why);
    expect(explain(command, ended(1, stderr))).toContain("may be why it failed"); // as before
  });

  it("is explained where its output holds its errors as well (2>&1), and not otherwise", () => {
    const output = "touch: cannot touch '/usr/x': Read-only file system\n";
    expect(explain("make 2>&1 | tail", ended(0, "", output))).toContain(FILES);
    expect(explain("cat log.txt", ended(0, "", output))).toBe("");
  });

  it.each([
    ["npm test", "✓ says permission denied where it may not\n✓ EACCES is told\n"],
    ["npm test", "warning: retrying, the network is unreachable sometimes\n"],
    ["npm test", "handles ECONNREFUSED\nconnect ECONNREFUSED 127.0.0.1:9\n"],
    ["make", "note: Permission denied: is what users read\n"],
    ["make", "a.c:1: warning: unused variable\n"],
    ["make", ""],
  ])("is not explained where it only prints such words: %s, %j", (command, stderr) => {
    expect(explain(command, ended(0, stderr))).toBe("");
  });

  it("is explained once in a session, each reason for itself", () => {
    const once = createDenials(reach, "bubblewrap");
    const denied = ended(0, "cat: secret: Permission denied\n");
    expect(once("cat secret; true", denied)).toContain(FILES);
    expect(once("cat secret; true", denied)).toBeUndefined();
    expect(once("x; true", ended(0, "curl: (6) Could not resolve host: a.example\n"))).toContain(NETWORK);
    expect(once("cat secret", ended(1, "cat: secret: Permission denied\n"))).toContain(FILES);
  });

  it("is not explained where the level allows it: with the whole network on, the sandbox refused nothing", () => {
    const open = createDenials({ isWritable: true, network: "all" }, "bubblewrap");
    expect(open("x; true", ended(0, "curl: (6) Could not resolve host: a.example\n"))).toBeUndefined();
  });
});

describe("a tool that needs the network", () => {
  it.each([
    ["pip", "ERROR: Could not find a version that satisfies the requirement x (from versions: none)"],
    [
      "npm",
      "npm error request to https://registry.example/x failed, reason: getaddrinfo EAI_AGAIN r.example",
    ],
    ["cargo", "error: failed to get `serde`\n  [6] Couldn't resolve host name (Could not resolve host: x)"],
    ["uv", "error: error sending request for url\n  dns error: failed to lookup address information"],
    ["go", 'go: m@v1: Get "https://p.example/m": dial tcp: lookup p.example: no such host'],
    ["mvn", "Could not transfer artifact a:b:pom:1: Unknown host repo.example: Name or service not known"],
    ["gradle", "> Could not GET 'https://x.example/a'.\n   > java.net.UnknownHostException: x.example"],
    [
      "gem",
      "ERROR:  Could not find a valid gem 'x' (>= 0) in any repository\nUnable to download data from https://x",
    ],
    ["bundle", "Could not reach host index.example. Check your network connection and try again."],
    ["composer", "Network disabled, request canceled: https://repo.example/packages.json"],
    [
      "cargo build --offline",
      "error: no matching package named `itoa` found\nAs a reminder, you're using offline mode (--offline)",
    ],
    [
      "mvn -o test",
      "Cannot access central (https://repo.example/m2) in offline mode and the artifact a:b:pom:1",
    ],
    ["dotnet", "error NU1301: Unable to load the service index for source https://x.example/v3/index.json."],
    ["bun", "error: ConnectionRefused downloading package manifest x"],
    ["curl", "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server"],
    ["psql", 'connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused'],
  ])("and fails is explained, whatever it calls that: %s", (program, stderr) => {
    expect(explain(`${program} x`, ended(1, stderr))).toContain(NETWORK);
  });
});

describe("a tool that makes files", () => {
  it.each([
    ["cmake", "CMake Error: Unable to (re)create the private pkgRedirects directory:\n/w/build/x"],
    ["javac", "X.java:1: error: error while writing X: could not create parent directories"],
    ["gradle", "Could not create parent directory for lock file /h/.gradle/x.lck"],
  ])("and fails without a reason is explained: %s", (program, stderr) => {
    expect(explain(`${program} x`, ended(1, stderr))).toContain(FILES);
  });

  it.each([
    ["mkdir: cannot create directory 'a/b': No such file or directory"],
    ["mkdir: cannot create directory 'a': File exists"],
    ["error: could not create a parser for x"],
  ])("is not where its reason is another one: %s", (stderr) => {
    expect(explain("x", ended(1, stderr))).toBe("");
  });
});

describe("a commit without an author", () => {
  it("says whose settings lack one, so that the model makes none up", () => {
    const said = "Author identity unknown\n\n*** Please tell me who you are.\n";
    expect(explain("git commit -m x", ended(128, said))).toContain("Do not invent one");
    expect(explain("grep -r identity .", ended(0, "", said))).toBe(""); // the words in a file are none
  });
});
