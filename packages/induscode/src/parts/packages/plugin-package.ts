// A plugin of another agent, or the hooks of its settings, as a package: what it brings is read once and written next to it, with a manifest
// that asks for what its hooks need. Its MCP servers become packages of their own.

import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeError, isTable } from "indusagi/core";
import { MANIFEST_FILENAME } from "../../addons/contract.ts";
import { readHooks } from "../../addons/runners/hooks/hook-table.ts";
import { kindOf } from "../../addons/runners/table-value.ts";
import { MAX_PLUGIN_BYTES, PLUGIN_PARTS, type PluginParts } from "../../addons/source/plugin-file.ts";
import type { ReadPlugin } from "../../addons/source/read-plugin.ts";
import { Problem } from "../../cli/problem.ts";
import { readJsonTolerantly } from "../../store/json.ts";

/** What a plugin's folder is called in its texts. */
const ROOT_WORDS = /\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT(?![A-Z0-9_])/g;
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_SETTINGS_BYTES = 1024 * 1024;

export interface PluginFacts {
  /** What the package is called here. */
  readonly name: string;
  /** Where its files are now, and where they will be. */
  readonly folder: string;
  readonly kept: string;
  /** The `[[capability]]` tables for what the person said that it may have, or what hooks have without a word. */
  readonly requests: string;
}

type PluginToWrite = Pick<ReadPlugin, "parts" | "version" | "description">;

/** Makes an addon of a plugin's folder. */
export function writePlugin(plugin: PluginToWrite, { name, folder, kept, requests }: PluginFacts): void {
  const { parts, version, description } = plugin;
  placeTexts(folder, parts, kept);
  writeFileSync(join(folder, PLUGIN_PARTS), partsText(parts));
  const hasHooks = readHooks(parts.hooks).commands.length > 0;
  const lines = [
    `id = ${JSON.stringify(name)}`,
    ...(version === undefined ? [] : [`version = ${JSON.stringify(version)}`]),
    `description = ${JSON.stringify(description ?? `The plugin ${parts.name}.`)}`,
    ...(hasHooks ? [] : ["brings-texts = true"]),
    ...(hasHooks ? ["", "[run]", `hooks = ${JSON.stringify(PLUGIN_PARTS)}`, HOOKS_ASK] : []),
  ];
  writeFileSync(join(folder, MANIFEST_FILENAME), `${lines.join("\n")}\n${hasHooks ? requests : ""}`, {
    mode: 0o600,
  });
}

/** As whoever reads it takes it. Throws a {@link Problem} for more. */
function partsText(parts: PluginParts): string {
  const text = `${JSON.stringify(parts, undefined, 2)}\n`;
  if (Buffer.byteLength(text) <= MAX_PLUGIN_BYTES) return text;
  const plain = JSON.stringify(parts);
  const bytes = Buffer.byteLength(plain);
  if (bytes <= MAX_PLUGIN_BYTES) return plain;
  throw new Problem(`its hooks and MCP servers have ${bytes} bytes; the limit is ${MAX_PLUGIN_BYTES}`);
}

const HOOKS_ASK = `
[[capability]]
kind = "model_notification"
reason = "what its hooks print is for the model"

[[capability]]
kind = "alert"
reason = "its hooks may tell you something"

[[capability]]
kind = "ui"
ask = true
required = false
reason = "its hooks may have you decide about a call"`;

/** The hooks of an agent's settings, as a plugin without a folder. Undefined for a file without a table "hooks". */
export async function pluginOfSettings(path: string): Promise<PluginToWrite | undefined> {
  const { value, problem } = await readJsonTolerantly(path, MAX_SETTINGS_BYTES);
  if (problem !== undefined) throw new Problem(`${path} cannot be read: ${describeError(problem)}`);
  if (!isTable(value) || value.hooks === undefined) return undefined;
  const { hooks } = value;
  if (!isTable(hooks))
    throw new Problem(`${path}: expected "hooks" to be an object of events, found ${kindOf(hooks)}`);
  if (readHooks(hooks).commands.length === 0)
    throw new Problem(`${path} has no hooks that indus can run${listed(readHooks(hooks).unused)}`);
  const parts: PluginParts = {
    ...{ name: "hooks", skills: [], commands: [], agents: [], outputStyles: [], mcpServers: {}, unused: [] },
    hooks,
  };
  return { parts, version: undefined, description: `The hooks of ${path}.` };
}

/** Writes the folder of a package that has no files of its own. */
export function writeHooks(plugin: PluginToWrite, facts: PluginFacts): void {
  mkdirSync(facts.folder);
  writePlugin(plugin, facts);
}

function listed(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `: ${lines.join("; ")}`;
}

/** Its texts are read by the model as they are, so they get the path that they mean. */
function placeTexts(
  folder: string,
  { skills, commands, agents, outputStyles }: PluginParts,
  kept: string,
): void {
  const open = [...skills, ...commands, ...agents, ...outputStyles].map((path) => join(folder, path));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const status = lstatSync(path);
    const place = path;
    if (status.isDirectory()) open.push(...readdirSync(path).map((name) => join(place, name)));
    else if (status.isFile() && path.endsWith(".md") && status.size <= MAX_TEXT_BYTES) {
      const text = readFileSync(path, "utf8");
      const placed = text.replace(ROOT_WORDS, () => kept);
      if (placed !== text) writeFileSync(path, placed);
    }
  }
}

/** Where a staged package will be. */
export function keptFolder(staging: string, name: string): string {
  return join(dirname(staging), name);
}
