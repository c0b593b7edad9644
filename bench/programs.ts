// The two programs used in every scenario, each in a fresh home and a fresh work folder.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Launch } from "./measure.ts";

/** Where one run happens. */
export interface RunPlace {
  readonly baseUrl: string;
  readonly home: string;
  readonly workFolder: string;
}

/** `auto`: indus in its default mode, which runs commands in the sandbox. */
export type ProgramName = "auto" | "floor" | "indus";

/** The launcher that a person's PATH leads to. */
export const launcher = fileURLToPath(new URL("../packages/induscode/bin/indus", import.meta.url));

const floorFile = fileURLToPath(new URL("floor.mjs", import.meta.url));
const task = "Go through the modules and count each one up.";

/** How to start each program with the task. */
export const programs: Readonly<Record<ProgramName, (place: RunPlace) => Launch>> = {
  floor: (place) => ({
    command: process.execPath,
    args: [floorFile, task],
    cwd: place.workFolder,
    env: { ...environment(place), FLOOR_LOG: join(place.home, "messages.jsonl") },
  }),
  indus: (place) => indus(place, []),
  auto: (place) => indus(place, [], "auto"),
};

/** indus, continuing the last session in this home and work folder. */
export function resumeIndus(place: RunPlace): Launch {
  return indus(place, ["--continue"]);
}

function indus(place: RunPlace, options: readonly string[], mode = "bypass"): Launch {
  return {
    command: launcher,
    args: ["-p", task, "--model", "anthropic/bench", "--permission-mode", mode, ...options],
    cwd: place.workFolder,
    env: { ...environment(place), INDUS_HOME: join(place.home, ".indus"), INDUS_NODE: process.execPath },
  };
}

/** Only PATH is taken from the person's own environment: keys, proxies and settings would change the figures. */
function environment({ baseUrl, home }: RunPlace): Record<string, string> {
  mkdirSync(home, { recursive: true });
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
    HOME: home,
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: "bench-key",
  };
}
