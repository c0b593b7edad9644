import { expect, it } from "vitest";
import type { HostCapability } from "./contract.ts";
import { mayDo } from "./may-do.ts";

const reports = (granted: readonly HostCapability[]) => [{ feature: "project:x", granted } as const];

it.each([
  ["execute", { kind: "execute", command: "ls", cwd: "/" }],
  ["write", { kind: "write", path: "/w/a" }],
  ["read", { kind: "read", path: "/w/a" }],
] as const)("files with %s, and with nothing else, let it do that", (right, access) => {
  const files = { kind: "files", read: false, write: false, execute: false } as const;
  expect(mayDo(reports([{ ...files, [right]: true }]), "project:x", access)).toBe(true);
  expect(
    mayDo(
      reports([{ ...files, read: true, write: true, execute: true, [right]: false }]),
      "project:x",
      access,
    ),
  ).toBe(false);
});

it("a granted host is that host; what is built in may do everything; a stranger nothing", () => {
  const granted = reports([{ kind: "network", purpose: "p", hosts: ["example.com"] }]);
  expect(mayDo(granted, "project:x", { kind: "network", host: "example.com" })).toBe(true);
  expect(mayDo(granted, "project:x", { kind: "network", host: "example.org" })).toBe(false);
  const below = reports([{ kind: "network", purpose: "p", hosts: ["*.Example.com"] }]);
  expect(mayDo(below, "project:x", { kind: "network", host: "api.example.com" })).toBe(true);
  expect(mayDo(granted, "builtin:shell", { kind: "network", host: "example.org" })).toBe(true);
  expect(mayDo(granted, "project:y", { kind: "read", path: "/" })).toBe(false);
});
