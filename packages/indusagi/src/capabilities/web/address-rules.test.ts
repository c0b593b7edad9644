import { isIP } from "node:net";
import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import { addressProblem, FORBIDDEN_RANGES } from "./address-rules.ts";

test.each([
  ["0.0.0.0", "this network, RFC 791"],
  ["10.255.255.255", "private, RFC 1918"],
  ["100.64.0.1", "carrier-grade NAT, RFC 6598"],
  ["127.0.0.1", "loopback, RFC 1122"],
  ["127.255.255.254", "loopback, RFC 1122"],
  ["169.254.169.254", "link-local, cloud metadata, RFC 3927"],
  ["172.16.0.1", "private, RFC 1918"],
  ["172.31.255.255", "private, RFC 1918"],
  ["192.168.1.1", "private, RFC 1918"],
  ["198.19.0.1", "benchmarks, RFC 2544"],
  ["224.0.0.1", "multicast, RFC 5771"],
  ["255.255.255.255", "reserved, broadcast, RFC 1112"],
  ["168.63.129.16", "the Azure platform, Azure's documentation"],
  ["::", "unspecified, RFC 4291"],
  ["::1", "loopback, RFC 4291"],
  ["::127.0.0.1", "IPv4-compatible, RFC 4291"],
  ["::ffff:127.0.0.1", "IPv4-mapped, RFC 4291"],
  ["::ffff:8.8.8.8", "IPv4-mapped, RFC 4291"],
  ["::ffff:0:7f00:1", "IPv4-translated, RFC 2765"],
  ["64:ff9b::10.0.0.1", "NAT64, RFC 6052"],
  ["64:ff9b:1::1", "local NAT64, RFC 8215"],
  ["2001::1", "Teredo tunnels, RFC 4380"],
  ["2001:db8::1", "documentation, RFC 3849"],
  ["2002:7f00:1::", "6to4 tunnels, RFC 3056"],
  ["fd12:3456::1", "private (unique local), RFC 4193"],
  ["fe80::1", "link-local, RFC 4291"],
  ["fe80::1%eth0", "not a plain IP address"],
  ["ff02::1", "multicast, RFC 4291"],
  ["1000::1", "outside global unicast, RFC 4291"],
  ["4000::1", "outside global unicast, RFC 4291"],
  ["a000::1", "outside global unicast, RFC 4291"],
  ["2130706433", "not a plain IP address"],
  ["localhost", "not a plain IP address"],
  ["", "not a plain IP address"],
])("%s is not public: %s", (address, problem) => {
  expect(addressProblem(address)).toBe(problem);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "223.255.255.255",
  "2606:4700::1111",
  "2001:4860:4860::8888",
  "2a00::1",
])("%s is public", (address) => {
  expect(addressProblem(address)).toBeUndefined();
});

test("the first and the last address of every range are found", () => {
  for (const { range } of FORBIDDEN_RANGES) {
    const [network = "", prefix = ""] = range.split("/");
    expect(addressProblem(network), range).toBeTypeOf("string");
    expect(addressProblem(lastOf(network, Number(prefix))), range).toBeTypeOf("string");
  }
});

test("whatever text it is asked about, it answers; only addresses are ever public", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6()), (text) => {
      if (addressProblem(text) === undefined) expect(isIP(text)).not.toBe(0);
    }),
    { numRuns: 2_000 },
  );
});

/** The last address of a subnet, by setting every bit after the prefix. */
function lastOf(network: string, prefix: number): string {
  if (isIP(network) === 4) {
    const value = network.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n) | mask(32 - prefix);
    return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
  }
  const [head = "", tail = ""] = network.split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const zeros = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(zeros).fill("0"), ...groups(tail)];
  const value = all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n) | mask(128 - prefix);
  return Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 65_535n).toString(16)).join(
    ":",
  );
}

function mask(bits: number): bigint {
  return (1n << BigInt(bits)) - 1n;
}
