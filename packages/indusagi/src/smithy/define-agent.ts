// The only way to create an agent: the spec is laid over a profile, the profile over a baseline, and the result is validated
// once, reporting every issue.

import { nearest } from "../core/nearest.ts";
import type { AgentBlueprint, AgentSpec, BlueprintResult, ToolCollection } from "./contract.ts";

const NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/;
const KEYS: readonly (keyof AgentSpec)[] = [
  ...(["name", "profile", "description", "systemPrompt", "toolCollection", "model", "tags"] as const),
];
const COLLECTIONS: readonly ToolCollection[] = ["read-only", "coding", "all"];
const MAX_PROMPT_BYTES: number = 256 * 1024;
const MAX_LINE_CHARS = 1_000;
const MAX_TAGS = 32;

const BASELINE: Omit<AgentBlueprint, "name"> = {
  description: "An agent.",
  systemPrompt: "Do what you are asked, and say what you found.",
  toolCollection: "read-only",
};

/** Profiles that an agent can start from, by name. */
export const AGENT_PROFILES: Readonly<Record<string, Omit<AgentBlueprint, "name">>> = {
  coder: {
    description: "Changes code and proves that it works.",
    systemPrompt: "Make the requested change, run what shows that it works, and say what you changed.",
    toolCollection: "coding",
  },
  researcher: {
    description: "Finds things out and says where they are.",
    systemPrompt: "Find what is asked for. Change nothing. Give the path and line of everything you report.",
    toolCollection: "read-only",
  },
  reviewer: {
    description: "Looks for what is wrong with a change.",
    systemPrompt: "Look for what is wrong. Change nothing. Report what would break, with the path and line.",
    toolCollection: "read-only",
  },
};

/** The blueprint from a spec, its profile and the baseline, or everything that is wrong. Tags replace the profile's: no merging. */
export function defineAgent(spec: AgentSpec): BlueprintResult {
  const issues: string[] = unknownKeys(spec);
  const profile = profileOf(spec.profile, issues);
  const pick = <Key extends keyof typeof BASELINE>(key: Key): (typeof BASELINE)[Key] =>
    (spec[key] ?? profile[key] ?? BASELINE[key]) as (typeof BASELINE)[Key];
  const { name = "" } = spec;
  const model = pick("model");
  const tags = pick("tags") ?? [];
  // The key order here is the order in every blueprint that is written to disk.
  const blueprint: AgentBlueprint = {
    name,
    description: pick("description"),
    systemPrompt: pick("systemPrompt"),
    toolCollection: pick("toolCollection"),
    model,
    tags: tags.length === 0 ? undefined : tags,
  };
  issues.push(...issuesOf(blueprint));
  return issues.length === 0 ? { ok: true, blueprint } : { ok: false, error: { issues } };
}

/** A misspelled key would silently fall back to the baseline. */
function unknownKeys(spec: AgentSpec): string[] {
  return Object.keys(spec)
    .filter((key) => !KEYS.some((known) => known === key))
    .map((key) => {
      const meant = nearest(key, KEYS);
      const hint = meant === undefined ? `expected one of ${KEYS.join(", ")}` : `did you mean ${meant}?`;
      return `${key.slice(0, 80)}: unknown key; ${hint}`;
    });
}

function profileOf(name: string | undefined, issues: string[]): Partial<AgentBlueprint> {
  if (name === undefined) return {};
  if (Object.hasOwn(AGENT_PROFILES, name)) return AGENT_PROFILES[name] as Omit<AgentBlueprint, "name">;
  const known = Object.keys(AGENT_PROFILES);
  const meant = nearest(name, known);
  const hint = meant === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${meant}?`;
  issues.push(`profile: unknown profile ${JSON.stringify(name.slice(0, 80))}; ${hint}`);
  return {};
}

function issuesOf({
  name,
  description,
  systemPrompt,
  toolCollection,
  model,
  tags,
}: AgentBlueprint): readonly string[] {
  const issues: string[] = [];
  const found = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? "nothing";
  if (typeof name !== "string" || !NAME_PATTERN.test(name))
    issues.push(`name: expected 1 to 64 lower-case letters, digits and hyphens, found ${found(name)}`);
  const line = (path: string, value: unknown): void => {
    if (typeof value !== "string" || value.trim() === "")
      issues.push(`${path}: expected text, found ${found(value)}`);
    else if (value.length > MAX_LINE_CHARS)
      issues.push(`${path}: expected at most ${MAX_LINE_CHARS} characters, found ${value.length}`);
  };
  line("description", description);
  if (typeof systemPrompt !== "string" || systemPrompt.trim() === "")
    issues.push(`systemPrompt: expected text, found ${found(systemPrompt)}`);
  else if (Buffer.byteLength(systemPrompt) > MAX_PROMPT_BYTES)
    issues.push(
      `systemPrompt: expected at most ${MAX_PROMPT_BYTES} bytes, found ${Buffer.byteLength(systemPrompt)}`,
    );
  if (!COLLECTIONS.includes(toolCollection))
    issues.push(`toolCollection: expected one of ${COLLECTIONS.join(", ")}, found ${found(toolCollection)}`);
  if (model !== undefined) line("model", model);
  if (tags !== undefined) {
    if (!Array.isArray(tags)) issues.push(`tags: expected a list of strings, found ${found(tags)}`);
    else {
      if (tags.length > MAX_TAGS) issues.push(`tags: expected at most ${MAX_TAGS}, found ${tags.length}`);
      for (const [index, tag] of tags.entries()) line(`tags[${index}]`, tag);
    }
  }
  return issues;
}

/** The stored form of a blueprint: keys in a fixed order, two-space indentation, a newline at the end. */
export function blueprintJson(blueprint: AgentBlueprint): string {
  const { name, description, systemPrompt, toolCollection, model, tags } = blueprint;
  const whole = { name, description, systemPrompt, toolCollection, model, tags };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
