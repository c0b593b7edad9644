// What the proxy of an addon's program reaches: a table resolves the names, and public addresses are dialled at a server on this machine.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { HostCapability } from "../../../feature/descriptor.ts";
import { createGrantedHosts } from "./granted-hosts.ts";
import { PROXY_SOCKET } from "./proxy-relay.ts";

const network = (...hosts: string[]): HostCapability => ({ kind: "network", purpose: "x", hosts });

async function reach(grants: readonly HostCapability[], host: string) {
  const server = createServer((asked, answer) => void answer.end(`for ${asked.headers.host}`)).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const told: string[] = [];
  const hosts = createGrantedHosts(grants, (line) => told.push(line), {
    lookup: async (name) => [name.startsWith("private") ? "10.0.0.1" : "93.184.216.34"],
    dial: () => connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }),
  });
  if (!hosts) throw new Error("no host was granted");
  onTestFinished(() => hosts.end());
  const socketPath = join(hosts.proxy().folder, PROXY_SOCKET);
  const asked = request({ socketPath, path: `http://${host}/` }).end();
  const [answer] = (await once(asked, "response")) as [import("node:http").IncomingMessage];
  return {
    said: `${answer.statusCode} ${(await answer.setEncoding("utf8").toArray()).join("")}`,
    told,
    hosts,
  };
}

it.each([
  ["good.example", "200 for good.example"],
  ["a.wide.example", "200 for a.wide.example"],
  ["wide.example", "403 indus: wide.example:80 is refused: it was not granted\n"],
  ["other.example", "403 indus: other.example:80 is refused: it was not granted\n"],
])("a request to the host %s is answered with %s", async (host, expected) => {
  const { said, told } = await reach([network("good.example"), network("*.wide.example")], host);
  expect(said).toBe(expected);
  expect(told).toEqual(expected.startsWith("200") ? [] : [`${host}:80 is refused: it was not granted\n`]);
});

it("a granted name leads to no address of the person's own network", async () => {
  const { said } = await reach([network("private.example")], "private.example");
  expect(said).toContain("it has the address 10.0.0.1, which is not public");
});

it.each([
  ["a.example:8443", "200 for a.example:8443"],
  ["a.wide.example:9000", "200 for a.wide.example:9000"],
  ["a.example", "403 indus: a.example:80 is refused: it was not granted\n"],
  [
    "a.example:8444",
    "403 indus: a.example:8444 is refused: only the ports 80 and 443 are allowed, and those that a grant names\n",
  ],
])("with ports granted, a request to %s is answered with %s", async (host, expected) => {
  const { said } = await reach([network("a.example:8443", "*.wide.example:9000")], host);
  expect(said).toBe(expected);
});

it("a granted port of a name leads to no address of this machine or its network, whatever the name resolves to", async () => {
  const { said } = await reach([network("private.example:8443")], "private.example:8443");
  expect(said).toContain("it has the address 10.0.0.1, which is not public");
});

it.each([
  [["localhost:7777"], "127.0.0.1:7777", "200"],
  [["127.0.0.1:7777"], "localhost:7777", "200"],
  [["localhost:*"], "[::1]:9", "200"],
  [["localhost:7777"], "127.0.0.1:7778", "403"],
  [["localhost:7777"], "0.0.0.0:7777", "403"],
  [["localhost:7777"], "10.0.0.1:7777", "403"],
  [["localhost:*"], "private.example:7777", "403"],
  [["localhost"], "localhost", "403"],
])("with %j granted, a request to %s gets %s", async (granted, host, status) => {
  const { said } = await reach([network(...granted)], host);
  expect(said.slice(0, 3)).toBe(status);
});

it("opens nothing where none was granted, and leaves nothing", async () => {
  expect(createGrantedHosts([{ kind: "alert" }], () => undefined)).toBeUndefined();
  const { hosts } = await reach([network("good.example")], "good.example");
  const { folder } = hosts.proxy();
  hosts.end();
  expect(existsSync(folder)).toBe(false);
});
