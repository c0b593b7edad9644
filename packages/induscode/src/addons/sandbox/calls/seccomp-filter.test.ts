import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { lacks, needs } from "../../../../../../tests/support/needs.ts";
import {
  type FilteredCall,
  type Verdict,
  verdictOf,
} from "../../../../../../tests/support/test-filter-machine.ts";
import { type FilterOptions, filterArchitecture, seccompFilter } from "./seccomp-filter.ts";
import {
  callNumber,
  EXAMINED_CALLS,
  type FilterArchitecture,
  METADATA_CALLS,
  PROCESS_CALLS,
  REFUSED_CALLS,
} from "./system-calls.ts";

const EPERM = "errno 1";
const ENOSYS = "errno 38";
const tight: FilterOptions = { architecture: "x64", mayStartProcesses: false, guardMetadata: true };
const loose: FilterOptions = { architecture: "x64", mayStartProcesses: true, guardMetadata: false };

function verdict(options: FilterOptions, call: FilteredCall): Verdict {
  return verdictOf(seccompFilter(options), { architecture: options.architecture, ...call });
}

describe.each(["x64", "arm64"] as const)("on %s", (architecture) => {
  const numbers = (table: typeof REFUSED_CALLS): [string, number][] =>
    Object.entries(table).flatMap(([name, call]) => {
      const number = callNumber(call, architecture);
      return number === undefined ? [] : [[name, number]];
    });

  it.each(numbers(REFUSED_CALLS))("%s fails with EPERM whatever is granted", (_, number) => {
    expect(verdict({ ...tight, architecture }, { number })).toBe(EPERM);
    expect(verdict({ ...loose, architecture }, { number })).toBe(EPERM);
  });

  it.each([...numbers(METADATA_CALLS)])("%s fails where Landlock alone guards the files", (_, number) => {
    expect(verdict({ ...tight, architecture }, { number })).toBe(EPERM);
    expect(verdict({ ...tight, architecture, guardMetadata: false }, { number })).toBe("allow");
  });

  it("ends the process that comes with another machine's calls", () => {
    expect(verdictOf(seccompFilter({ ...tight, architecture }), { architecture: "other", number: 0 })).toBe(
      "kill",
    );
    const twin: FilterArchitecture = architecture === "x64" ? "arm64" : "x64";
    expect(verdictOf(seccompFilter({ ...tight, architecture }), { architecture: twin, number: 63 })).toBe(
      "kill",
    );
  });

  it("is under the kernel's limit of 4096 instructions, and the same every time", () => {
    const filter = seccompFilter({ ...tight, architecture });
    expect(filter.byteLength % 8).toBe(0);
    expect(filter.byteLength / 8).toBeLessThan(400);
    expect(seccompFilter({ ...tight, architecture })).toEqual(filter);
  });

  it("lets everything else through: every number of the table is either named or allowed", () => {
    const named = new Set(
      [REFUSED_CALLS, PROCESS_CALLS, METADATA_CALLS, EXAMINED_CALLS].flatMap((table) =>
        Object.values(table).map((call) => callNumber(call, architecture)),
      ),
    );
    const filter = seccompFilter({ ...tight, architecture });
    for (let number = 0; number < 500; number++) {
      if (named.has(number)) continue;
      expect(verdictOf(filter, { architecture, number }), `call ${number}`).toBe("allow");
    }
  });
});

describe("calls that depend on their arguments", () => {
  const [clone, clone3, fork, vfork] = [56, 435, 57, 58];
  const NEW_THREAD = 0x3d0f00;
  const cases: readonly [string, FilterOptions, FilteredCall, Verdict][] = [
    ["a thread", tight, { number: clone, args: [NEW_THREAD] }, "allow"],
    ["a process without the grant", tight, { number: clone, args: [0x01200011] }, EPERM],
    ["a process with the grant", loose, { number: clone, args: [0x01200011] }, "allow"],
    ["fork without the grant", tight, { number: fork }, EPERM],
    ["fork with the grant", loose, { number: fork }, "allow"],
    ["vfork without the grant", tight, { number: vfork }, EPERM],
    [
      "a process in a new user namespace, with the grant",
      loose,
      { number: clone, args: [0x10000011] },
      EPERM,
    ],
    ["a thread in a new mount namespace", tight, { number: clone, args: [NEW_THREAD | 0x20000] }, EPERM],
    ["clone3, so that libc takes clone", tight, { number: clone3 }, ENOSYS],
    ["clone3 with the grant", loose, { number: clone3 }, ENOSYS],
    ["an x32 number", loose, { number: 0x40000000 + 41 }, EPERM],
    ["a connected pair", tight, { number: 53, args: [1, 0x80801, 0, 0] }, "allow"],
    ["a datagram pair", tight, { number: 53, args: [1, 0x80002, 0, 0] }, EPERM],
    ["a sequenced pair", tight, { number: 53, args: [1, 0x80005, 0, 0] }, "allow"],
    ["a raw pair", tight, { number: 53, args: [1, 3, 0, 0] }, EPERM],
    ["private memory", tight, { number: 9, args: [0, 4096, 3, 0x22] }, "allow"],
    ["a shared file", tight, { number: 9, args: [0, 4096, 3, 0x01, 3] }, "allow"],
    ["shared memory without a file", tight, { number: 9, args: [0, 4096, 3, 0x21] }, EPERM],
    ["the same, validated", tight, { number: 9, args: [0, 4096, 3, 0x23] }, EPERM],
    ["its own limits", tight, { number: 302, args: [0, 7] }, "allow"],
    ["another's limits", tight, { number: 302, args: [4711, 7] }, EPERM],
    [
      "a limit with rubbish above the 32 bits that count",
      tight,
      { number: 302, args: [0x1_0000_0000n, 7] },
      "allow",
    ],
    ["its own processors", tight, { number: 203, args: [0, 128] }, "allow"],
    ["another's processors", tight, { number: 203, args: [4711, 128] }, EPERM],
    ["another's processors, with the grant", loose, { number: 203, args: [4711, 128] }, EPERM],
    ["a name for itself", tight, { number: 157, args: [15] }, "allow"],
    ["outliving its parent", tight, { number: 157, args: [1, 0] }, EPERM],
    ["the size of a terminal", tight, { number: 16, args: [0, 0x5413] }, "allow"],
    ["typing into a terminal", tight, { number: 16, args: [0, 0x5412] }, EPERM],
    ["the same, with high bits", tight, { number: 16, args: [0, 0xffffffff_00005412n] }, EPERM],
    ["pasting into a console", tight, { number: 16, args: [0, 0x541c] }, EPERM],
    ["dates of an open file", tight, { number: 280, args: [5, 0, 0, 0] }, "allow"],
    ["dates of a path", tight, { number: 280, args: [5, 0x7f00_0000_1000n, 0, 0] }, EPERM],
    [
      "dates of a path whose low half is zero",
      tight,
      { number: 280, args: [5, 0x1_0000_0000n, 0, 0] },
      EPERM,
    ],
    ["dates of a path where mounts guard", loose, { number: 280, args: [5, 0x1000, 0, 0] }, "allow"],
  ];
  it.each(cases)("%s", (_, options, call, expected) => {
    expect(verdict(options, call)).toBe(expected);
  });
});

describe("the numbers are the kernel's", () => {
  const headers = {
    x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    arm64: "/usr/include/asm-generic/unistd.h",
  } as const;
  describe.each(["x64", "arm64"] as const)("%s", (architecture) => {
    // Without the C library's headers there is nothing to compare with; the interpreter's tests above run anyway.
    test.skipIf(lacks("kernel headers", existsSync(headers[architecture])))("as its header has them", () => {
      const text = readFileSync(headers[architecture], "utf8");
      const known = new Map(
        [...text.matchAll(/#define __NR(?:3264)?_(\w+)\s+(\d+)/g)].map((match) => [
          match[1],
          Number(match[2]),
        ]),
      );
      // The generic table names the 32-bit variant of a few calls first, and has none under these names.
      expect(known.size).toBeGreaterThan(250);
      const compared: string[] = [];
      for (const table of [REFUSED_CALLS, PROCESS_CALLS, METADATA_CALLS, EXAMINED_CALLS]) {
        for (const [name, call] of Object.entries(table)) {
          const number = known.get(name);
          // Newer than these headers.
          if (number === undefined) continue;
          compared.push(name);
          expect([name, callNumber(call, architecture)]).toEqual([name, number]);
        }
      }
      expect(compared.length).toBeGreaterThan(60);
    });
  });
});

it("has no table for other machines", () => {
  expect(["x64", "arm64", "riscv64", "ia32"].map(filterArchitecture)).toEqual([
    "x64",
    "arm64",
    undefined,
    undefined,
  ]);
});

describe.each(["x64", "arm64"] as const)("signals by an open file on %s", (architecture) => {
  const { fcntl = 0, ioctl = 0 } = {
    fcntl: callNumber(EXAMINED_CALLS.fcntl, architecture),
    ioctl: callNumber(EXAMINED_CALLS.ioctl, architecture),
  };
  const answer = (number: number, command: number, argument: number | bigint): Verdict =>
    verdict({ ...loose, architecture }, { number, args: [3, command, argument] });

  it.each([8, 10, 15, 1024, 1026])("fcntl %i is refused, whatever it names", (command) => {
    expect([answer(fcntl, command, 1), answer(fcntl, command, -1)]).toEqual([EPERM, EPERM]);
  });

  it.each([0x5412, 0x541c, 0x5452, 0x8901, 0x8902])("ioctl %i is refused", (command) => {
    expect(answer(ioctl, command, 0)).toBe(EPERM);
    // The kernel reads only the lower half of a command.
    expect(
      verdict({ ...loose, architecture }, { number: ioctl, args: [3, (1n << 32n) | BigInt(command)] }),
    ).toBe(EPERM);
  });

  it("F_SETFL may set everything but O_ASYNC, and every other command stays", () => {
    expect([answer(fcntl, 4, 0x2000), answer(fcntl, 4, 0x2802)]).toEqual([EPERM, EPERM]);
    expect([answer(fcntl, 4, 0x800), answer(fcntl, 4, 0x402)]).toEqual(["allow", "allow"]);
    const refused = [8, 10, 15, 1024, 1026];
    const others = Array.from({ length: 1100 }, (_, command) => command).filter(
      (command) => !refused.includes(command),
    );
    expect(others.filter((command) => answer(fcntl, command, 0) !== "allow")).toEqual([]);
    expect([0x5401, 0x5421, 0x5451].map((command) => answer(ioctl, command, 0))).toEqual(
      Array(3).fill("allow"),
    );
  });
});

it("a sequenced pair, which the filter allows, reaches no other socket; its twin, a datagram pair, does", () => {
  needs("python3");
  const folder = mkdtempSync(join(tmpdir(), "indus-pairs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `
import socket, sys
def reached(kind):
    place = sys.argv[1] + "/" + str(int(kind))
    other = socket.socket(socket.AF_UNIX, kind); other.bind(place); other.setblocking(False)
    if kind == socket.SOCK_SEQPACKET: other.listen()
    one, two = socket.socketpair(socket.AF_UNIX, kind)
    for attempt in (lambda: one.sendto(b"x", place), lambda: one.connect(place), two.close, lambda: one.connect(place)):
        try: attempt()
        except OSError: pass
    try: return bool(other.accept() if kind == socket.SOCK_SEQPACKET else other.recv(1))
    except OSError: return False
print(reached(socket.SOCK_SEQPACKET), reached(socket.SOCK_DGRAM))
`;
  expect(execFileSync("python3", ["-c", script, folder], { encoding: "utf8" })).toBe("False True\n");
});
