// What a start calls is compiled with its file. Node keeps V8's code of a file as it was when the file was loaded: a function
// that V8 puts off until its first call is in no cache and is compiled anew by each start, some 600 of them by a first
// request. So the build makes the starts below, sees what was called, and puts those functions in parentheses: V8
// compiles them at once. Where a machine cannot run an addon, only what an addon needs is left as it was.
import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { parseAst } from "rolldown/parseAst";

const REQUEST = ["-p", "hello", "--model", "anthropic/one", "--grant", "unused"];
/** The second request finds in its cache what the addon registers. */
const STARTS = [["--help"], REQUEST, REQUEST];

const ADDON = `import { observe } from "induscode/addons";
export function register(surface) {
  surface.on("compact:before", observe(() => undefined));
}
`;

const ANSWER = [
  { type: "message_start", message: { role: "assistant", content: [], usage: { input_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];

const DEADLINE_MS = 300_000;

/** Rewrites the files of the product in `folder`. */
export async function compileWhatIsCalled(folder) {
  const called = await calledIn(realpathSync(folder));
  for (const [path, ranges] of called) {
    const isCalled = ({ start, end }) => ranges.has(`${start}-${end}`);
    writeFileSync(path, withParentheses(readFileSync(path, "utf8"), isCalled));
  }
}

/** By file, `from-to` of each function that one of the starts called. */
async function calledIn(folder) {
  const place = mkdtempSync(join(tmpdir(), "indus-starts-"));
  const [home, work, seen] = ["home", "work", "seen"].map((name) => join(place, name));
  mkdirSync(join(work, ".indus/addons"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(home, "settings.json"), JSON.stringify({ localServers: [] }));
  writeFileSync(join(work, ".indus/addons/unused.ts"), ADDON);
  const model = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(ANSWER.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(""));
  }).listen(0, "127.0.0.1");
  await once(model, "listening");
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, INDUS_HOME: home, NODE_V8_COVERAGE: seen },
    ...{ ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.address().port}`, ANTHROPIC_API_KEY: "unused" },
  };
  const main = JSON.stringify(pathToFileURL(join(folder, "main.js")).href);
  try {
    for (const args of STARTS) {
      const code = `import(${main}).then(async ({ main }) => process.exit(await main(${JSON.stringify(args)})));`;
      const run = promisify(execFile)(process.execPath, ["-e", code], {
        cwd: work,
        env,
        timeout: DEADLINE_MS,
      });
      run.child.stdin.end();
      await run;
    }
    return merged(seen, pathToFileURL(folder).href);
  } finally {
    model.close();
    rmSync(place, { recursive: true, force: true });
  }
}

function merged(seen, prefix) {
  const called = new Map();
  for (const name of readdirSync(seen)) {
    for (const { url, functions } of JSON.parse(readFileSync(join(seen, name), "utf8")).result) {
      if (!url.startsWith(`${prefix}/`)) continue;
      const path = fileURLToPath(url);
      const ranges = called.get(path) ?? new Set();
      called.set(path, ranges);
      for (const {
        ranges: [whole],
      } of functions)
        if (whole.count > 0) ranges.add(`${whole.startOffset}-${whole.endOffset}`);
    }
  }
  return called;
}

/**
 * The same program. Expressions get their parentheses where they stand. A declaration at the top level counts from the first
 * line on, so it becomes a variable before everything else; those within functions, and methods, stay as they are.
 */
function withParentheses(code, isCalled) {
  const { body } = parseAst(code);
  const inserts = [];
  visit(body, (node) => {
    if (isCalled(node)) inserts.push({ at: node.start, text: "(" }, { at: node.end, text: ")" });
  });
  inserts.sort((one, other) => one.at - other.at);
  const copy = (from, to) => {
    let text = "";
    let at = from;
    for (const insert of inserts) {
      if (insert.at < from || insert.at > to) continue;
      text += code.slice(at, insert.at) + insert.text;
      at = insert.at;
    }
    return text + code.slice(at, to);
  };
  let first = "";
  let rest = "";
  let end = 0;
  for (const node of body) {
    if (node.type !== "FunctionDeclaration" || !isCalled(node)) continue;
    first += `var ${node.id.name}=(${copy(node.start, node.end)});`;
    rest += copy(end, node.start);
    end = node.end;
  }
  return first + rest + copy(end, code.length);
}

/** Each function that is an expression; what a method consists of has no place for parentheses. */
function visit(node, found) {
  if (node === null || typeof node !== "object") return;
  if (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression") found(node);
  const isMethod =
    node.type === "MethodDefinition" || (node.type === "Property" && (node.method || node.kind !== "init"));
  for (const [key, child] of Object.entries(node)) {
    if (isMethod && key === "value") for (const part of Object.values(child)) visit(part, found);
    else visit(child, found);
  }
}
