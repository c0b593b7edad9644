// `node scripts/catalogue.mjs FOLDER DATE`: writes the model catalogue from the data of an unpacked @earendil-works/pi-ai (MIT), whose
// dist/providers/data is FOLDER and which was published on DATE. It is run when the catalogue is renewed; the result is committed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, say } from "./setup.mjs";

const [folder, date] = process.argv.slice(2);
if (!folder || !/^\d{4}-\d{2}-\d{2}$/.test(date ?? ""))
  throw new Error("write: node scripts/catalogue.mjs FOLDER YYYY-MM-DD");

const providers = {
  ...{
    anthropic: "anthropic",
    openai: "openai",
    google: "google",
    xai: "xai",
    deepseek: "deepseek",
    mistral: "mistral",
  },
  ...{
    moonshotai: "moonshot",
    zai: "zai",
    minimax: "minimax",
    groq: "groq",
    cerebras: "cerebras",
    openrouter: "openrouter",
  },
};

// What a model may be asked for, from the least to the most; a bit of a row's number for each. `none` is a word of the API for `off`.
const LEVELS = ["off", "none", "minimal", "low", "medium", "high", "xhigh", "max"];
const ALWAYS = ["off", "low", "medium", "high"]; // of a model that thinks, where the data says nothing else

function levelsOf({ reasoning, thinkingLevelMap: map = {} }) {
  const has = (level) =>
    level === "none"
      ? map.off === "none"
      : ALWAYS.includes(level)
        ? map[level] !== null
        : Boolean(map[level]);
  return LEVELS.reduce((sum, level, bit) => sum + (reasoning && has(level) ? 1 << bit : 0), 0).toString(36);
}

const pricesOf = ({ input, output, cacheRead, cacheWrite }) =>
  [input, output, cacheRead, cacheWrite]
    .map((each) => +(each ?? 0).toFixed(4))
    .join(" ")
    .replace(/(?: ?\b0)+$/, "");

const rows = [];
for (const [file, provider] of Object.entries(providers)) {
  const data = JSON.parse(readFileSync(join(folder, `${file}.json`), "utf8"));
  for (const model of Object.values(data).flatMap((byWire) => Object.values(byWire))) {
    const { id, contextWindow, maxTokens, cost = {}, input = [] } = model;
    if (!Number.isInteger(contextWindow) || contextWindow < 1 || /\s|:batch$/.test(id)) continue; // a batch answers hours later
    const abilities = `${levelsOf(model)}${input.includes("image") ? "+" : ""}`;
    const row = [
      provider,
      id,
      contextWindow,
      Math.min(maxTokens || 8192, contextWindow),
      abilities,
      pricesOf(cost),
      ...(cost.tiers ?? []).map((tier) => `>${tier.inputTokensAbove} ${pricesOf(tier)}`),
    ];
    rows.push(row.join(" ").trim());
  }
}
rows.sort();

const file = join(root, "packages/indusagi/src/llmgateway/catalogue-data.ts");
writeFileSync(
  file,
  `// Written by scripts/catalogue.mjs from the model data of @earendil-works/pi-ai 0.87.1 (MIT, Mario Zechner), published on
// ${date}. A line: provider, model, window and longest answer in tokens, levels of thinking (a bit each of off, the word none for it,
// minimal, low, medium, high, xhigh and max, in base 36; 0 does not think), + sees images, price of a million tokens in dollars (input,
// output, cache read, cache write; zeros at the end are left out), and, after a > and that many tokens, that of longer prompts.

/** When the data was published. */
export const CATALOGUE_DATE = "${date}";

/** The rows, one a line, as one text: nothing is built of it before a model is looked up. */
export const CATALOGUE = \`
${rows.join("\n")}
\`;
`,
);
say(`${rows.length} models`);
