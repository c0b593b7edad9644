// The chosen sandbox for a session's commands: probed and loaded with the first command.

import type { Sandbox } from "../addons/sandbox/contract.ts";
import type { CommandSandbox } from "../deck/contract.ts";
import type { PatternPlaces } from "../deck/permissions/path-pattern.ts";
import type { PermissionPolicy } from "../deck/permissions/permissions.ts";
import { homePath } from "../store/home-files.ts";
import type { ConfinementChoice } from "./command-confinement.ts";

export interface ConfinementFacts {
  /** The working directory, as a real path. */
  readonly cwd: string;
  readonly home: string;
  readonly personHome: string;
  readonly env: NodeJS.ProcessEnv;
  readonly withhold: readonly string[];
  readonly policy: PermissionPolicy;
  /** See {@link PatternPlaces}. */
  readonly twins?: PatternPlaces["twins"];
  /** What this machine can confine commands with; default: probed here. */
  readonly machine?: Pick<Sandbox, "strong" | "levels">;
  /** Reports once what is not as requested. */
  readonly tell: (line: string) => void;
}

/** Refused hosts reported in one session. */
const MAX_TOLD = 50;

/** Undefined if no sandbox is requested. It ends with the session. */
export function createCommandSandbox(
  { sandbox, network, hosts, isRequired }: ConfinementChoice,
  { cwd, home, personHome, env, withhold, policy, twins, machine: given, tell }: ConfinementFacts,
): (CommandSandbox & { readonly close: () => void }) | undefined {
  if (sandbox === "off") return undefined;
  let found: Promise<Found> | undefined;
  let close = (): void => undefined;
  let inForce: Pick<CommandSandbox, "shell" | "outside"> | undefined;

  async function find(): Promise<Found> {
    const [{ createSandbox }, { confineCommands, whyUnconfined }] = await Promise.all([
      import("../addons/sandbox/sandbox.ts"),
      import("../addons/sandbox/command-sandbox.ts"),
    ]);
    const machine = given ?? createSandbox({ recordPath: homePath(home, "sandboxLevel") });
    const strong = machine.strong();
    if (strong === undefined) {
      const why = whyUnconfined(machine.levels());
      if (isRequired)
        return {
          refusal:
            `the sandbox "${sandbox}" was asked for and commands cannot be confined here (${why}). ` +
            "Start with --sandbox off to run them without one",
        };
      tell(
        policy.mode === "auto"
          ? `Commands cannot be confined here (${why}): the mode auto treats them as acceptEdits does, and asks.`
          : `Commands cannot be confined here (${why}), as the repository's settings want it.`,
      );
      return "absent";
    }
    const [{ createPlaceRules }, { createHostRules }] = await Promise.all([
      import("../deck/permissions/place-rules.ts"),
      import("../deck/permissions/host-rules.ts"),
    ]);
    const places = { root: cwd, home: personHome, ...(twins ? { twins } : {}) };
    const refuses = createPlaceRules(policy, places);
    if (network === "hosts" && strong.level !== "bubblewrap")
      tell(
        `Commands reach no network: "hosts" needs bubblewrap, and here is ${strong.level} alone, which cannot tell hosts apart.`,
      );
    const told = new Set<string>();
    const named = {
      refusal: createHostRules(policy, hosts, places),
      onRefused: (line: string) => {
        if (told.has(line) || told.size === MAX_TOLD) return;
        told.add(line);
        tell(`A command in the sandbox: ${line}.`);
      },
    };
    const confined = confineCommands(strong, {
      ...{ root: cwd, personHome, env, withhold },
      network: network === "hosts" ? named : network,
      isWritable: sandbox === "workspace-write",
      ...(refuses ? { refuses } : {}),
    });
    close = confined.close;
    inForce = confined;
    return "in force";
  }

  const shell = (): CommandSandbox["shell"] => {
    if (inForce === undefined) throw new Error("no command runs before the sandbox is in force");
    return inForce.shell;
  };
  return {
    state: () => {
      found ??= find();
      return found;
    },
    shell: {
      exec: async (command, options) => shell().exec(command, options),
      spawn: (command, options) => shell().spawn(command, options),
    },
    outside: (run, writes) => inForce?.outside(run, writes) ?? run(),
    close: () => close(),
  };
}

type Found = Awaited<ReturnType<CommandSandbox["state"]>>;
