import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { lacks } from "./needs.ts";
import { parseSystemTrace, readSystemTrace, runTraced, traceProblem } from "./system-trace.ts";

// Recorded by strace 6.1 from a program with two threads that makes each kind of call, with strings that look like structure.
const RECORDED = String.raw`19569 execve("./t", ["./t"], ["X=y"])   = 0
19569 socket(AF_UNIX, SOCK_STREAM, 0)   = 3
19569 connect(3, {sa_family=AF_UNIX, sun_path="/tmp/none \"x\" \303\251"}, 110) = -1 ENOENT (No such file or directory)
19569 bind(3, {sa_family=AF_UNIX, sun_path=@"abstract"}, 11) = 0
19569 socket(AF_INET6, SOCK_STREAM, IPPROTO_IP <unfinished ...>
19570 socket(AF_INET, SOCK_DGRAM|SOCK_CLOEXEC, IPPROTO_IP <unfinished ...>
19569 <... socket resumed>)             = 4
19569 connect(4, {sa_family=AF_INET6, sin6_port=htons(9), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28 <unfinished ...>
19570 <... socket resumed>)             = 5
19569 <... connect resumed>)            = -1 ECONNREFUSED (Connection refused)
19570 sendto(5, "{sa_family=AF_INET, \"quoted\" ] ) = 0\n\0", 38, 0, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = 38
19570 sendmsg(5, {msg_name={sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, msg_namelen=16, msg_iov=[{iov_base="{sa_f", iov_len=5}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = 5
19570 sendmmsg(5, [{msg_hdr={msg_name={sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, msg_namelen=16, msg_iov=[{iov_base="{sa_f", iov_len=5}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, msg_len=5}], 1, 0) = 1
19569 execve("./missing", ["true", "a b", "[x], \"y\"\n"], ["A=1", "B=\303\251\"\\"] <unfinished ...>
19570 +++ exited with 0 +++
19569 <... execve resumed>)             = -1 ENOENT (No such file or directory)
19569 execveat(AT_FDCWD, "./missing2", ["true"], ["A=1"], 0) = -1 ENOENT (No such file or directory)
19569 execveat(6, "", ["true"], ["A=1"], AT_EMPTY_PATH) = 0
19569 +++ exited with 0 +++
`;

describe("parseSystemTrace", () => {
  it("reads every start of a program, also one that failed or was torn apart", () => {
    const argv = ["true", "a b", '[x], "y"\n'];
    const [pid, env] = [19569, ["A=1"]];
    expect(parseSystemTrace(RECORDED).starts).toEqual([
      { pid, program: "./t", argv: ["./t"], env: ["X=y"], result: "0" },
      { pid, program: "./missing", argv, env: ["A=1", 'B=é"\\'], result: "ENOENT" },
      { pid, program: "./missing2", argv: ["true"], env, result: "ENOENT" },
      { pid, program: "fd 6: ", argv: ["true"], env, result: "0" },
    ]);
  });

  it("reads every socket and address, and takes no text for an address", () => {
    const address = { family: "inet", host: "127.0.0.1", port: 9 };
    expect(parseSystemTrace(RECORDED).sockets).toEqual([
      { call: "socket", pid: 19569, domain: "AF_UNIX", type: "SOCK_STREAM" },
      { call: "connect", pid: 19569, address: { family: "unix", path: '/tmp/none "x" é' } },
      { call: "bind", pid: 19569, address: { family: "unix", path: "@abstract" } },
      { call: "socket", pid: 19569, domain: "AF_INET6", type: "SOCK_STREAM" },
      { call: "socket", pid: 19570, domain: "AF_INET", type: "SOCK_DGRAM" },
      { call: "connect", pid: 19569, address: { ...address, host: "::1" } },
      { call: "sendto", pid: 19570, address },
      { call: "sendmsg", pid: 19570, address },
      { call: "sendmmsg", pid: 19570, address },
    ]);
  });

  it("counts a call that never came back", () => {
    const { starts } = parseSystemTrace(
      '7 execve("/bin/x", ["x"], ["A=1"] <unfinished ...>\n7 +++ killed by SIGKILL +++\n',
    );
    expect(starts).toEqual([{ pid: 7, program: "/bin/x", argv: ["x"], env: ["A=1"], result: "unfinished" }]);
  });

  it.each([
    ["a line that strace does not write", "7 execve(", "line 1 of the trace is no system call"],
    ["a call that was not asked for", "7 openat(AT_FDCWD) = 3", "not asked for: openat"],
    ["a text that was cut short", '7 execve("/bin/x"..., [], []) = 0', "cut a text short: /bin/x"],
    ["a start without a program", "7 execve(0x0, NULL, NULL) = -1 EFAULT (Bad address)", "has no program"],
  ])("refuses %s: it could hide an attack", (_what, line, problem) => {
    expect(() => parseSystemTrace(line)).toThrow(problem);
  });
});

describe("runTraced", () => {
  const noTrace = traceProblem();
  it.skipIf(lacks("strace", noTrace === undefined))(
    `records what a command starts${noTrace ? ` (${noTrace})` : ""}`,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "indus-trace-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const traceFile = join(folder, "trace");
      const run = { cwd: folder, env: { PATH: "/usr/bin:/bin" }, traceFile };
      const ended = await runTraced(["/bin/sh", "-c", "/bin/echo heard; /bin/echo told >&2; exit 3"], run);
      expect(ended).toEqual({ code: 3, stdout: "heard\n", stderr: "told\n" });
      const { starts } = readSystemTrace(traceFile);
      expect(starts.map(({ program, result }) => `${program} ${result}`)).toEqual([
        "/bin/sh 0",
        "/bin/echo 0",
        "/bin/echo 0",
      ]);
    },
  );

  it("runs a command without a trace as well", async () => {
    const folder = mkdtempSync(join(tmpdir(), "indus-trace-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const run = { cwd: folder, env: { PATH: "/usr/bin:/bin" } };
    expect(await runTraced(["/bin/sh", "-c", "echo here > made"], run)).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(existsSync(join(folder, "made"))).toBe(true);
  });
});
