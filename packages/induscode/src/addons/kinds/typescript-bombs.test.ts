// More than sixty files made to break a TypeScript parser. Each ends in code or in an error that names it, in the
// compiler's process and within its limits; the calling process grows by no more than a bound, and the next file compiles.

import { expect, test } from "vitest";
import { rows } from "../../../../../tests/support/long-form.ts";
import { LoaderError } from "../contract.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createSourceCompiler } from "./source-compiler.ts";

const DEEP = 50_000;
const WIDE = 100_000;
const MB = 1024 * 1024;
const around = (open: string, middle: string, close: string, times = DEEP): string =>
  open.repeat(times) + middle + close.repeat(times);

/** Numbers that look random but are the same on every machine. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

function noise(seed: number, alphabet: string, length: number): string {
  const next = sequence(seed);
  return Array.from({ length }, () => alphabet[next() % alphabet.length]).join("");
}

const NESTED: Readonly<Record<string, string>> = {
  parentheses: `export const a = ${around("(", "1", ")")};`,
  brackets: `export const a = ${around("[", "", "]")};`,
  braces: around("{", "", "}"),
  objects: `export const a = ${around("{a:", "1", "}")};`,
  "arrow functions": `export const a = ${around("()=>", "1", "")};`,
  "arrow functions in parentheses": `export const a = ${around("(()=>", "1", ")")};`,
  functions: around("function f(){", "", "}"),
  classes: around("class A{a=", "class{}", "}").replaceAll("class A", "(class"),
  calls: `export const a = ${around("f(", "1", ")")};`,
  indexes: `export const a = x${around("[x", "", "]")};`,
  "template literals": `export const a = ${around("`${", "1", "}`")};`,
  "unary signs": `export const a = ${"- ".repeat(DEEP)}1;`,
  negations: `export const a = ${"!".repeat(DEEP)}1;`,
  typeof: `export const a = ${"typeof ".repeat(DEEP)}1;`,
  awaits: `${"await ".repeat(DEEP)}1;`,
  conditionals: `export const a = ${"1?".repeat(DEEP)}1${":1".repeat(DEEP)};`,
  "else-ifs": `if(a){}${"else if(a){}".repeat(DEEP)}`,
  ifs: `${"if(a)".repeat(DEEP)};`,
  labels: `${Array.from({ length: DEEP }, (_, at) => `l${at}:`).join("")};`,
  "for loops": `${"for(;;)".repeat(DEEP)};`,
  "try blocks": around("try{", "", "}finally{}"),
  "JSX elements": `export const a = ${around("<a>", "", "</a>")};`,
  "JSX expressions": `export const a = ${around("<a>{", "1", "}</a>")};`,
  "array types": `type A = ${around("(", "1", ")")};`,
  "generic types": `type A = ${around("A<", "1", ">")};`,
  "conditional types": `type A = ${"1 extends 2?".repeat(DEEP)}1${":1".repeat(DEEP)};`,
  "template literal types": `type A = ${around("`${", "1", "}`")};`,
  "function types": `type A = ${"()=>".repeat(DEEP)}1;`,
  "object types": `type A = ${around("{a:", "1", "}")};`,
  "tuple types": `type A = ${around("[", "1", "]")};`,
  keyof: `type A = ${"keyof ".repeat(DEEP)}1;`,
  infer: `type A<T> = ${around("T extends (infer U extends ", "1", ")?1:1", 10_000)};`,
  namespaces: around("namespace A{", "", "}"),
  "dotted namespaces": `namespace ${Array(DEEP).fill("a").join(".")} { export const a = 1; }`,
  decorators: `${around("@(", "a", ")")} class A {}`,
  "type assertions": `export const a = ${"<any>".repeat(DEEP)}1;`,
  spreads: `f(${around("...[", "", "]")});`,
  "optional chains": `export const a = x${"?.a".repeat(DEEP)};`,
  assignments: `${"a=".repeat(DEEP)}1;`,
  patterns: `const ${around("[", "a", "]")} = 1;`,
  "object patterns": `const ${around("{a:", "b", "}")} = 1;`,
  exponents: `export const a = ${"1**".repeat(DEEP)}1;`,
  sums: `export const a = ${"1+".repeat(DEEP)}1;`,
  "regular expressions": `export const a = /${around("(", "a", ")")}/;`,
  "regular expressions of lookaheads": `export const a = /${around("(?=", "a", ")")}/;`,
};
const LARGE: Readonly<Record<string, string>> = {
  "a wide union": `type A = ${Array.from({ length: WIDE }, (_, at) => `"${at}"`).join("|")};`,
  "a wide enum": `enum A { ${Array.from({ length: WIDE }, (_, at) => `a${at}`).join(",")} }`,
  "many declarations": Array.from({ length: WIDE }, (_, at) => `const a${at}: number = ${at};`).join("\n"),
  "one name again and again": "let a: number;".repeat(WIDE),
  "many decorators": `${"@a ".repeat(WIDE)} class A {}`,
  "a comment of 3 MB": `/*${"*".repeat(3 * MB)}*/`,
  "a comment that never ends": `/*${"/*".repeat(MB)}`,
  "a string of 3 MB": `export const a = "${"a".repeat(3 * MB)}";`,
  "a string that never ends": `export const a = "${"a".repeat(MB)}`,
  "a number of a million digits": `export const a = ${"9".repeat(MB)};`,
  "a bigint of a million digits": `export const a = ${"9".repeat(MB)}n;`,
  "a name of a million letters": `export const ${"a".repeat(MB)} = 1;`,
  "a million line ends": "\n".repeat(MB),
  "a million semicolons": ";".repeat(MB),
};
const ODD: Readonly<Record<string, string>> = {
  nothing: "",
  "a byte order mark": "\ufeffexport const a: number = 1;",
  "a hundred byte order marks": "\ufeff".repeat(100),
  NULs: "\0".repeat(1_000),
  "a NUL in a string": 'export const a = "\0";',
  "lone surrogates": 'export const a = "\ud800\udc00\ud800";',
  "escaped lone surrogates": 'export const \\ud800 = "\\ud800";',
  "line separators": "a\u2028b\u2029c",
  "text that turns around": "export const a = 1; // \u202e\u2066",
  "a hashbang": "#!/usr/bin/env node\nexport const a: number = 1;",
  "a hashbang later": "\n#!/usr/bin/env node",
  "half a declaration": "export const a: ",
  "half an escape": 'export const a = "\\u{',
  "an escape beyond Unicode": 'export const a = "\\u{ffffffffff}";',
  "half JSX": "export const a = <a><b",
  "merge conflict": "<<<<<<< a\nconst a = 1;\n=======\nconst a = 2;\n>>>>>>> b",
};
const RANDOM: Readonly<Record<string, string>> = Object.fromEntries(
  [1, 2, 3, 4].flatMap((seed) => [
    [`noise of signs ${seed}`, noise(seed, "(){}[]<>`$\"'/\\*+-=!?:;,.@# \n", 20_000)],
    [`noise of words ${seed}`, noise(seed, "aA1 (){}<>=:;,\n", 20_000)],
  ]),
);
const BOMBS = Object.entries({ ...NESTED, ...LARGE, ...ODD, ...RANDOM });

test("each bomb compiles or ends in an error of its own, within the limits", {
  timeout: 600_000,
}, async () => {
  expect(BOMBS.length).toBeGreaterThanOrEqual(60);
  const load = createSourceCompiler(createSandbox());
  const { compile } = await load();
  const wrong: string[] = [];
  const before = process.memoryUsage();
  for (const [name, text] of rows(BOMBS, (_, at) => at % 6 === 0)) {
    const path = `/addons/${name.replaceAll(" ", "-")}.tsx`;
    try {
      const { code, format } = await compile({ path, text, isModule: true });
      if (typeof code !== "string" || format !== "module") wrong.push(`${name}: no code`);
    } catch (error) {
      const isItsOwn = error instanceof LoaderError && error.kind === "invalid" && error.path === path;
      if (!isItsOwn || !error.message.startsWith(path)) wrong.push(`${name}: ${String(error).slice(0, 200)}`);
      else if (/longer than \d+ s/.test(error.message)) wrong.push(`${name}: it took all of its time`);
    }
  }
  expect(wrong).toEqual([]);
  const { heapUsed } = process.memoryUsage();
  expect(heapUsed - before.heapUsed).toBeLessThan(256 * MB);
  const good = await compile({
    path: "/addons/good.ts",
    text: "export const a: number = 1;",
    isModule: true,
  });
  expect(good.code).toMatch(/^export const a = 1;/);
});
