// What MCP servers that are known and not used cost a session's first request: six of 20 MB each, as npm installs them, against none.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTrust } from "../packages/induscode/src/addons/session.ts";
import { hashAddon } from "../packages/induscode/src/addons/source/content-hash.ts";
import { measureRun } from "./measure.ts";
import { programs, type RunPlace } from "./programs.ts";

const servers = 6;
const bytes = 20_000_000;
/** As many as large servers have for their bytes. */
const filesOfOne = 4_000;
const filesOfFolder = 8;
const toolsOfOne = 25;
/** A start remembers the content of a folder that has been as it is for so long. */
const settledMs = 2_500;

/** The median, in milliseconds, of what each pair of runs differs by. `folder` is empty. */
export async function measureServers(folder: string, pairs: number): Promise<number> {
  const without = placeIn(join(folder, "without"));
  const withServers = placeIn(join(folder, "with"));
  await addServers(join(withServers.home, ".indus"));
  await sleep(settledMs);
  const firstMs = async (place: Omit<RunPlace, "baseUrl">): Promise<number> =>
    (await measureRun("hello", (baseUrl) => programs.indus({ ...place, baseUrl }))).firstRequestMs;
  // The first run asks each server what it offers.
  for (const place of [withServers, without, withServers, without]) await firstMs(place);
  const differences: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // In turn first, so that neither always finds what the other one has left.
    const [one, other] = pair % 2 === 0 ? [without, withServers] : [withServers, without];
    const [first, second] = [await firstMs(one), await firstMs(other)];
    differences.push(pair % 2 === 0 ? second - first : first - second);
  }
  return differences.toSorted((one, other) => one - other)[Math.floor(pairs / 2)] ?? Number.NaN;
}

function placeIn(folder: string): Omit<RunPlace, "baseUrl"> {
  const place = { home: join(folder, "home"), workFolder: join(folder, "work") };
  mkdirSync(join(place.home, ".indus"), { recursive: true });
  mkdirSync(place.workFolder, { recursive: true });
  writeFileSync(join(place.home, ".indus/settings.json"), JSON.stringify({ localServers: [] }));
  return place;
}

async function addServers(home: string): Promise<void> {
  const trust = createTrust({ home });
  for (let at = 0; at < servers; at++) {
    const id = `server${at}`;
    const path = join(home, "packages", id);
    for (let file = 0; file < filesOfOne; file++) {
      const inside = join(path, "node_modules", `needed${Math.floor(file / 200)}`);
      const place = join(inside, `part${Math.floor((file % 200) / filesOfFolder)}`);
      if (file % filesOfFolder === 0) mkdirSync(place, { recursive: true });
      writeFileSync(join(place, `module${file}.js`), `// ${file} ${"x".repeat(bytes / filesOfOne)}\n`);
    }
    writeFileSync(join(path, "node_modules/server.mjs"), SERVER);
    writeFileSync(
      join(path, "manifest.toml"),
      `id = "${id}"\ndescription = "x"\n\n[run]\nmcp = ["node", "node_modules/server.mjs"]\n`,
    );
    await trust.grant({ hash: hashAddon(path), id: `user:${id}`, path, granted: [] });
  }
}

/** Its tools are as large as those of servers that people have. */
const SERVER = `import { createInterface } from "node:readline";
const fields = Object.fromEntries(Array.from({ length: 6 }, (_, at) => ["field_" + at, { type: "string", description: "What is written about this field. ".repeat(2) }]));
const tools = Array.from({ length: ${toolsOfOne} }, (_, at) => ({ name: "do_number_" + at, description: "Does it. ".repeat(12), inputSchema: { type: "object", properties: fields, required: ["field_0"] } }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const send = (message) => id !== undefined && process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...message }) + "\\n");
  if (method === "initialize") return send({ result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  if (method === "tools/list") return send({ result: { tools } });
  send({ error: { code: -32601, message: "unknown" } });
});
`;
