// Which IP addresses are not part of the public internet: a table, and one function that checks it. An address that embeds
// another one (mapped, translated, tunnelled) is refused whatever it embeds; no ordinary lookup returns one.

import type { BlockList } from "node:net";

/** One row: a range, its purpose, and the source. */
interface ForbiddenRange {
  readonly range: string;
  readonly what: string;
  readonly source: string;
}

/** The first row that contains an address names it. From the IANA special-purpose address registries (RFC 6890). */
export const FORBIDDEN_RANGES: readonly ForbiddenRange[] = [
  { range: "0.0.0.0/8", what: "this network", source: "RFC 791" },
  { range: "10.0.0.0/8", what: "private", source: "RFC 1918" },
  { range: "100.64.0.0/10", what: "carrier-grade NAT", source: "RFC 6598" },
  { range: "127.0.0.0/8", what: "loopback", source: "RFC 1122" },
  { range: "169.254.0.0/16", what: "link-local, cloud metadata", source: "RFC 3927" },
  { range: "172.16.0.0/12", what: "private", source: "RFC 1918" },
  { range: "192.0.0.0/24", what: "protocol assignments", source: "RFC 6890" },
  { range: "192.0.2.0/24", what: "documentation", source: "RFC 5737" },
  { range: "192.88.99.0/24", what: "6to4 relays", source: "RFC 7526" },
  { range: "192.168.0.0/16", what: "private", source: "RFC 1918" },
  { range: "198.18.0.0/15", what: "benchmarks", source: "RFC 2544" },
  { range: "198.51.100.0/24", what: "documentation", source: "RFC 5737" },
  { range: "203.0.113.0/24", what: "documentation", source: "RFC 5737" },
  { range: "224.0.0.0/4", what: "multicast", source: "RFC 5771" },
  { range: "240.0.0.0/4", what: "reserved, broadcast", source: "RFC 1112" },
  { range: "168.63.129.16/32", what: "the Azure platform", source: "Azure's documentation" },

  { range: "::/128", what: "unspecified", source: "RFC 4291" },
  { range: "::1/128", what: "loopback", source: "RFC 4291" },
  { range: "::/96", what: "IPv4-compatible", source: "RFC 4291" },
  { range: "::ffff:0:0/96", what: "IPv4-mapped", source: "RFC 4291" },
  { range: "::ffff:0:0:0/96", what: "IPv4-translated", source: "RFC 2765" },
  { range: "64:ff9b::/96", what: "NAT64", source: "RFC 6052" },
  { range: "64:ff9b:1::/48", what: "local NAT64", source: "RFC 8215" },
  { range: "100::/64", what: "discard", source: "RFC 6666" },
  { range: "2001::/32", what: "Teredo tunnels", source: "RFC 4380" },
  { range: "2001::/23", what: "protocol assignments", source: "RFC 2928" },
  { range: "2001:db8::/32", what: "documentation", source: "RFC 3849" },
  { range: "2002::/16", what: "6to4 tunnels", source: "RFC 3056" },
  { range: "3fff::/20", what: "documentation", source: "RFC 9637" },
  { range: "5f00::/16", what: "segment routing", source: "RFC 9602" },
  { range: "fc00::/7", what: "private (unique local)", source: "RFC 4193" },
  { range: "fe80::/10", what: "link-local", source: "RFC 4291" },
  { range: "fec0::/10", what: "site-local", source: "RFC 3879" },
  { range: "ff00::/8", what: "multicast", source: "RFC 4291" },
  // Everything else outside 2000::/3, the only block from which public addresses are assigned.
  { range: "::/3", what: "outside global unicast", source: "RFC 4291" },
  { range: "4000::/2", what: "outside global unicast", source: "RFC 4291" },
  { range: "8000::/1", what: "outside global unicast", source: "RFC 4291" },
];

/** Why `address` is not public, as a phrase ("loopback, RFC 1122"); undefined if it is public. Never throws. */
export function addressProblem(address: string): string | undefined {
  const version = node().isIP(address);
  // A zone (fe80::1%eth0) names an interface of this machine, and BlockList does not support it.
  if (version === 0 || address.includes("%")) return "not a plain IP address";
  const family = version === 4 ? "ipv4" : "ipv6";
  compiled ??= FORBIDDEN_RANGES.map(compileRange);
  const found = compiled.find((row) => row.family === family && row.list.check(address, family));
  return found && `${found.what}, ${found.source}`;
}

// Families are kept apart: BlockList would find every IPv4 address in ::/3, through its mapped form.
interface CompiledRange extends ForbiddenRange {
  readonly family: "ipv4" | "ipv6";
  readonly list: BlockList;
}

let compiled: readonly CompiledRange[] | undefined;

function compileRange(row: ForbiddenRange): CompiledRange {
  const [network = "", prefix] = row.range.split("/");
  const family = network.includes(":") ? "ipv6" : "ipv4";
  const list = new (node().BlockList)();
  list.addSubnet(network, Number(prefix), family);
  return { ...row, family, list };
}

// Loaded on first use: the program does not need it to start.
function node(): typeof import("node:net") {
  return process.getBuiltinModule("node:net");
}
