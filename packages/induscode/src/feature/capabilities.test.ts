import { describe, expect, it } from "vitest";
import { capabilityInWords, covers, denialsOf, hostFormProblem, lackOf, lacksHere } from "./capabilities.ts";
import type { CapabilityRequest, HostCapability } from "./descriptor.ts";

const files = (read: boolean, write: boolean, execute = false): HostCapability => ({
  kind: "files",
  read,
  write,
  execute,
});
const network = (...hosts: string[]): HostCapability => ({ kind: "network", purpose: "p", hosts });

describe("covers", () => {
  it.each<readonly [HostCapability[], HostCapability, boolean]>([
    [[files(true, true)], files(true, false), true],
    [[files(true, false)], files(true, true), false],
    [[files(true, false), files(false, true)], files(true, true), true],
    [[], { kind: "alert" }, false],
    [[{ kind: "alert" }], { kind: "alert" }, true],
    [[network("a.org", "*.b.org")], network("a.org", "x.b.org"), true],
    [[network("a.org")], network("b.org"), false],
    [[network("*.b.org")], network("*.b.org"), true],
    [[network("x.b.org")], network("*.b.org"), false],
    [[{ kind: "secret", id: "A" }], { kind: "secret", id: "B" }, false],
    [[{ kind: "contribute_tool", name: "a" }], { kind: "contribute_tool", name: "a" }, true],
    [[{ kind: "contribute_hook", point: "x" }], { kind: "contribute_hook", point: "y" }, false],
  ])("%j for %j: %s", (granted, wanted, answer) => {
    expect(covers(granted, wanted)).toBe(answer);
  });
});

it("is told in words, without what is off", () => {
  expect(capabilityInWords(files(true, false, true))).toBe("files (read, execute)");
  expect(capabilityInWords({ kind: "alert" })).toBe("alert");
  expect(capabilityInWords({ kind: "network", purpose: "", hosts: ["a.org", "b.org"] })).toBe(
    "network (a.org,b.org)",
  );
  expect(
    capabilityInWords({
      kind: "network",
      purpose: "x",
      hosts: ["127.0.0.1:7777", "[::1]:9", "localhost:*", "a.org:8443"],
    }),
  ).toBe(
    "network (x, port 7777 of this machine,port 9 of this machine,every port of this machine,a.org:8443)",
  );
});

it.each([
  ["a.org", undefined],
  ["*.a.org", undefined],
  ["a.org:8443", undefined],
  ["localhost:*", undefined],
  ["[::1]:7777", undefined],
  ["*", "may not be"],
  ["a.org:*", "expected a name"],
  ["*:80", "expected a name"],
  ["https://a.org", "expected a name"],
  ["a.org:0", "expected a name"],
  ["a.org:65536", "expected a name"],
  ["::1", "expected a name"],
])("as a host that somebody asks for, %s: %s", (host, problem) => {
  if (problem === undefined) expect(hostFormProblem(host)).toBeUndefined();
  else expect(hostFormProblem(host)).toContain(problem);
});

describe("what is denied", () => {
  const requests: readonly CapabilityRequest[] = [
    { capability: files(true, true), required: true, reason: "r" },
    { capability: { kind: "memory", read: true, write: false }, required: false, reason: "r" },
    { capability: { kind: "secret", id: "KEY" }, required: true, reason: "r" },
    { capability: { kind: "alert" }, required: true, reason: "r" },
  ];
  const offers: (capability: HostCapability) => string | undefined = (capability) =>
    capability.kind === "memory" ? 'the setting "memory" is false' : lacksHere({})(capability);

  it("is told with the reason, and whether anybody could grant it", () => {
    expect(denialsOf(requests, [files(true, false), { kind: "alert" }], offers)).toEqual([
      { capability: files(true, true), required: true, why: "denied", reason: "it was not granted" },
      {
        capability: { kind: "memory", read: true, write: false },
        required: false,
        why: "unavailable",
        reason: 'the setting "memory" is false',
      },
      {
        capability: { kind: "secret", id: "KEY" },
        required: true,
        why: "unavailable",
        reason: "it is not set in the environment",
      },
    ]);
  });

  it("keeps out what needs it, and nothing else", () => {
    const standing = (required: boolean, neededBy?: readonly string[]) => {
      const request = {
        capability: files(false, true),
        required,
        reason: "r",
        neededBy,
      };
      return { granted: [], denials: denialsOf([request], [], offers), offers };
    };
    const reason = "it needs files (write): it was not granted";
    expect(lackOf("any", [], standing(true))).toBe(reason);
    expect(lackOf("any", [], standing(false))).toBeUndefined();
    expect(lackOf("/deploy", [], standing(true, ["/deploy"]))).toBe(reason);
    expect(lackOf("tool:before", [], standing(true, ["/deploy"]))).toBeUndefined();
    expect(lackOf("tool", [files(false, true)], standing(false))).toBe(reason);
    expect(
      lackOf("tool", [{ kind: "sessions", spawn: true, message: false, restore: false }], standing(false)),
    ).toBe("it needs sessions (spawn): it was not granted");
  });

  it("a contribution that was not granted keeps out itself alone", () => {
    const denials = denialsOf(
      [{ capability: { kind: "contribute_tool", name: "a" }, required: true, reason: "r" }],
      [],
      offers,
    );
    expect(lackOf("b", [], { granted: [], denials, offers })).toBeUndefined();
  });
});
