// The first start of a package that was kept: what it offers, what that costs, and how it differs from the version before.

import { tryToStore } from "../../addons/process/registration-cache.ts";
import { EXIT_FAULT, EXIT_OK } from "../../cli/problem.ts";
import type { LoggedCheck } from "../author/run-addon-check.ts";
import type { LockedPackage } from "./package-lock.ts";
import { sourceIn } from "./package-store.ts";
import { lookHere, type PackagesLine, type Place, say, tell } from "./packages-here.ts";
import { commandsInUse } from "./report/collisions.ts";
import { changeRows, keepRegistration, keptRegistration, registeredIn } from "./report/contributions.ts";
import { costHere } from "./report/package-cost.ts";
import { rowsOf } from "./report/report-rows.ts";

interface KeptPackage {
  readonly locked: LockedPackage;
  readonly before: LockedPackage | undefined;
  readonly folder: string;
  readonly version: string | undefined;
}

/** As the proxy of granted hosts notes it. */
const REFUSED_HOST = /^(\S{1,255}):\d{1,5} is refused: it was not granted/;
/** As Node and its libraries say that there was no network. */
const NO_NETWORK = /fetch failed|ENOTFOUND|EAI_AGAIN|ENETUNREACH/;

/** What to grant a server that failed because it could not reach a host; nothing for any other. */
function networkAdvice({ findings, printed, description }: LoggedCheck): readonly string[] {
  const hosts = [...new Set(printed.flatMap((line) => REFUSED_HOST.exec(line)?.[1] ?? []))];
  const how = hosts.map((host) => `--host ${host}`).join(" ");
  if (hosts.length > 0) return [`it asked for what it was not granted: remove it, and add it with ${how}`];
  const hasNetwork =
    description?.capabilities.some(({ capability }) => capability.kind === "network") === true;
  if (hasNetwork || !findings.some(({ text }) => NO_NETWORK.test(text))) return [];
  return [
    "it was granted no host: if it asks a service when it starts, remove it, and add it with --host HOST",
  ];
}

/** Starts it once, in its sandbox, with what it was granted: what it offers is said at once, and whether it works. */
export async function registered(
  { locked, before, folder, version }: KeptPackage,
  line: PackagesLine,
  place: Place,
): Promise<number> {
  const { name, content } = locked;
  const had = before && keptRegistration({ home: place.home, content: before.content });
  const { runCheck } = await import("../author/run-addon-check.ts");
  const check = await runCheck(sourceIn(folder), {
    ...place,
    env: line.env,
    secrets: line.secrets,
    parts: line.parts,
  });
  const { registers, findings, printed, registration, hasRun } = check;
  const problems = findings.filter(({ severity }) => severity === "problem");
  const isWorking = problems.length === 0;
  const unkept =
    isWorking && registration
      ? tryToStore(() => keepRegistration({ home: place.home, content }, registration))
      : undefined;
  const inUse = await commandsInUse(registers, line, place);
  const changed = had && registration ? changeRows(registeredIn(had), registeredIn(registration)) : [];
  tell(
    rowsOf(lookHere(line), [
      ["gives", registers.length === 0 ? [] : [registers.join(", ")]],
      ...changed,
      ["names", inUse],
      [
        "warn",
        [
          ...findings.flatMap(({ severity, text }) => (severity === "warning" ? [text] : [])),
          ...(unkept === undefined ? [] : [`what it offers could not be kept: ${unkept}`]),
        ],
      ],
      ["wrong", problems.map(({ text }) => text)],
      ["log", isWorking ? [] : printed],
      ["note", isWorking ? [] : networkAdvice(check)],
    ]),
  );
  const how = before === undefined ? "Added" : "Updated";
  const what = version === undefined || before === undefined ? name : `${name} to ${version}`;
  if (!isWorking) {
    say(
      `${how} ${name}, but it does not work on this machine yet. indus show ${name} says what it requests. To remove it: indus remove ${name}`,
    );
    return EXIT_FAULT;
  }
  const { tokens = 0, words } = await costHere({ folder, hasProgram: hasRun, content }, line, place);
  const where = before?.isOff === true ? "; it stays off" : " for every session";
  say(`${how} ${what}${where}${tokens === 0 ? "" : `, ${words}`}. To remove it: indus remove ${name}`);
  return EXIT_OK;
}
