// Thirty command lines of a day in projects of six languages, and programs that stand in for their tools.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface DayCommand {
  readonly line: string;
  /** Runs what the project says, or changes more than the files that it names: asked about where nothing confines it. */
  readonly runs?: true;
  /** What its tool says without a network; until `variable` has this value, it tries again. */
  readonly wants?: { readonly variable: string; readonly value: string; readonly says: string };
}

const runs = (line: string): DayCommand => ({ line, runs: true });
const wants = (line: string, variable: string, says: string, value = "0"): DayCommand => ({
  ...runs(line),
  wants: { variable, value, says },
});

/** In the order of a day. */
export const DAY_COMMANDS: readonly DayCommand[] = [
  { line: "git status" },
  { line: "ls -la src" },
  wants(
    "npm install",
    "npm_config_fetch_retries",
    "npm error request to https://r.invalid/x failed, reason: getaddrinfo EAI_AGAIN r.invalid",
  ),
  runs("npx tsc --noEmit"),
  runs("npm test -- --run money"),
  { line: "cat src/money.txt | head -20" },
  runs("python3 -m venv .venv"),
  wants(
    "pip install -r requirements.txt",
    "PIP_RETRIES",
    "ERROR: Could not find a version that satisfies the requirement x (from versions: none)",
  ),
  runs("pytest -q tests/money.py"),
  { line: "grep -rn price src" },
  runs("go build ./..."),
  runs("go test ./... -run Money"),
  runs("gofmt -w src"),
  { line: "git diff" },
  wants("cargo build", "CARGO_NET_RETRY", "error: failed to get `x`: Could not resolve host: i.invalid"),
  runs("cargo test"),
  runs("cargo fmt"),
  { line: "mkdir -p src/parts" },
  { line: "cp src/money.txt src/parts/" },
  wants("bundle install", "BUNDLE_RETRY", "Could not reach host i.invalid. Check your network connection."),
  runs("bundle exec rspec"),
  wants(
    "composer install",
    "COMPOSER_DISABLE_NETWORK",
    "Network disabled, request canceled: https://r.invalid/packages.json",
    "1",
  ),
  { line: "mv src/parts/money.txt src/parts/old.txt" },
  runs("mvn -q test"),
  runs("gradle test"),
  runs("make -j2"),
  runs("cmake --build build"),
  { line: "sed -n 1,20p src/money.txt" },
  { line: "git add -A" },
  runs("git commit -qm 'a day'"),
];

/** Other tools that try again. */
export const OTHER_WANTS: readonly DayCommand[] = [
  wants(
    "pnpm install",
    "pnpm_config_fetch_retries",
    "ERR_PNPM_META_FETCH_FAIL getaddrinfo EAI_AGAIN r.invalid",
  ),
  wants("yarn install", "YARN_HTTP_RETRY", "RequestError: getaddrinfo EAI_AGAIN r.invalid"),
  wants("uv sync", "UV_HTTP_RETRIES", "dns error: failed to lookup address information"),
  wants("conda install x", "CONDA_REMOTE_MAX_RETRIES", "NameResolutionError: Name or service not known"),
  wants(
    "dotnet restore",
    "NUGET_ENHANCED_MAX_NETWORK_TRY_COUNT",
    "error NU1301: Unable to load the service index for source https://r.invalid/v3/index.json.",
    "1",
  ),
];

/** What a program that stands in for the tool of `line` prints. */
export function ranLine(line: string): string {
  return `stands in: ${line}`;
}

/** Makes a program for each tool of `commands`. Returns the folder, which belongs on the PATH. */
export function standIns(folder: string, commands: readonly DayCommand[]): string {
  mkdirSync(folder);
  const tools = new Map<string, string>();
  for (const { line, runs: isTool, wants: wanted } of commands) {
    const [name = "", verb = ""] = line.split(" ");
    if (!isTool || name === "git") continue;
    const before = tools.get(name) ?? `#!/bin/sh\necho "${ranLine(name)} $*"\n`;
    tools.set(name, before + (wanted ? `[ "$1" != ${verb} ] || { ${failing(wanted)}; }\n` : ""));
  }
  for (const [name, script] of tools) writeFileSync(join(folder, name), script, { mode: 0o755 });
  return folder;
}

function failing({ variable, value, says }: NonNullable<DayCommand["wants"]>): string {
  return `[ "$${variable}" = ${value} ] || { echo trying again; exit 0; }; echo '${says}' >&2; exit 1`;
}
