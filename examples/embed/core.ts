// `indusagi/core`: what everything else stands on. Bounded text, checked values, text that is safe to print.

import assert from "node:assert/strict";
import { clamp, compileSchema, isInside, type JsonSchema, matchPathGlob, printable } from "indusagi/core";

const long = "line\n".repeat(10_000);
const kept = clamp(long, { kind: "middle", maxBytes: 200 });
assert.ok(Buffer.byteLength(kept) < 300); // what is kept, and a notice of what is not

const schema: JsonSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const check = await compileSchema(schema);
assert.equal(await check({ n: 1 }), undefined);
assert.match((await check({ n: "one" })) ?? "", /n/);

assert.ok(isInside("/home/me", "/home/me/src/a.ts"));
assert.ok(matchPathGlob("src/**/*.ts", "src/deep/a.ts"));
assert.ok(!printable("\u001b[31mred").includes("\u001b"));
process.stdout.write("core: ok\n");
