// What `indus addon check` and `indus addon test` print.

import type { Finding } from "../../addons/author/check-addon.ts";
import { plural } from "../../console/figures.ts";
import type { CapabilityRequest } from "../../feature/descriptor.ts";
import type { LoggedCheck } from "./run-addon-check.ts";
import type { AddonTest } from "./run-addon-test.ts";
import { VIRTUAL_START } from "./virtual-clock.ts";

/** Formats a check as lines for a person. */
export function checkLines(check: LoggedCheck): readonly string[] {
  const { path, description, confinement, hasRun, registers, findings, printed } = check;
  const { id, version, description: says, contributes = [], capabilities = [] } = description ?? {};
  const name = [id ?? "an addon that cannot be read", version].filter(Boolean).join(" ");
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["about", says === undefined ? [] : [says]],
    ["does", registers.length === 0 ? contributes : registers],
    ["asks", capabilities.map(requestInWords)],
    ["limit", confinement],
  ];
  return [
    `${name}  ${path}`,
    ...rows.flatMap(([label, items]) => items.map((item) => `  ${label.padEnd(6)} ${item}`)),
    ...(hasRun ? ["  note   to find out what it registers, its code was run in this sandbox"] : []),
    ...printed.map((line) => `  log    ${line}`),
    ...findings.map(({ severity, text }) => `${severity}: ${text}`),
    verdictOf(findings),
  ];
}

/** Formats a test as lines for a person. */
export function testLines({
  path,
  workspace,
  log,
  printed,
  turns,
  verdicts,
  problems,
}: AddonTest): readonly string[] {
  const failed = verdicts.filter(({ isMet }) => !isMet).length + problems.length;
  return [
    `${path}, offline from ${VIRTUAL_START} on; ${turns.played} of ${turns.recorded} turns of the cassette played`,
    ...verdicts.flatMap(({ expected, isMet, found }) => [
      `${isMet ? "ok     " : "failed "} ${expected}`,
      ...(found === undefined ? [] : [`        but ${found}`]),
    ]),
    ...problems.map((problem) => `problem ${problem}`),
    `workspace ${workspace}`,
    `log       ${log}`,
    ...(printed === undefined ? [] : [`printed   ${printed}`]),
    failed === 0 ? `good: ${plural(verdicts.length, "expectation")} met` : `${failed} failed`,
  ];
}

function requestInWords({ capability, required, reason }: CapabilityRequest): string {
  return `${inWords(capability)}${required ? "" : " (optional)"}: ${reason}`;
}

function inWords({ kind, ...facts }: { readonly kind: string }): string {
  const told = Object.entries(facts as Readonly<Record<string, unknown>>)
    .filter(([, value]) => value !== false)
    .map(([name, value]) => (value === true ? name : String(value)));
  return [kind, ...told].join(" ");
}

function verdictOf(findings: readonly Finding[]): string {
  const kinds = (["problem", "warning"] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [plural(count, severity)];
  });
  return kinds.length === 0 ? "good: no problems found" : kinds.join(", ");
}
