// What `indus addon check` and `indus addon test` print.

import type { AddonCheck, Finding } from "../addons/author/check-addon.ts";

/** A check as lines for a person. */
export function checkLines(check: AddonCheck): readonly string[] {
  const { path, description, confinement, registers, findings } = check;
  const { id, version, description: says, contributes = [], capabilities = [] } = description ?? {};
  const name = [id ?? "an addon that cannot be read", version].filter(Boolean).join(" ");
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["says", says === undefined ? [] : [says]],
    ["does", registers.length === 0 ? contributes : registers],
    ["asks", capabilities.map(({ capability, reason }) => `${inWords(capability)}: ${reason}`)],
    ["fence", confinement],
  ];
  return [
    `${name}  ${path}`,
    ...rows.flatMap(([label, items]) => items.map((item) => `  ${label.padEnd(6)} ${item}`)),
    ...findings.map(({ severity, text }) => `${severity}: ${text}`),
    verdict(findings),
  ];
}

function inWords({ kind, ...facts }: { readonly kind: string }): string {
  const told = Object.entries(facts as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => (value === true ? name : String(value)));
  return [kind, ...told].join(" ");
}

function verdict(findings: readonly Finding[]): string {
  const counted = (["problem", "warning"] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}${count === 1 ? "" : "s"}`];
  });
  return counted.length === 0 ? "good: nothing was found wrong" : counted.join(", ");
}
