// The compiler is the test: `npm run check` reads this file.

import type { JsonValue } from "indusagi/core";
import { expect, expectTypeOf, it } from "vitest";
import type { FromSchema } from "./from-schema.ts";

const ORDER = {
  type: "object",
  properties: {
    id: { type: ["string", "integer"] },
    size: { enum: ["s", "m"] },
    kind: { const: "order" },
    lines: {
      type: "array",
      items: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    },
    gift: { type: "boolean" },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    rest: {},
  },
  required: ["id", "size", "kind", "lines"],
} as const;

it("a schema's type is that of what fits it", () => {
  const order: FromSchema<typeof ORDER> = { id: 1, size: "s", kind: "order", lines: [{ n: 1 }] };
  expectTypeOf(order.id).toEqualTypeOf<string | number>();
  expectTypeOf(order.size).toEqualTypeOf<"s" | "m">();
  expectTypeOf(order.kind).toEqualTypeOf<"order">();
  expectTypeOf(order.lines[0]?.n).toEqualTypeOf<number | undefined>();
  expectTypeOf(order.gift).toEqualTypeOf<boolean | undefined>();
  expectTypeOf(order.note).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(order.rest).toEqualTypeOf<JsonValue | undefined>();
  expectTypeOf<FromSchema<undefined>>().toEqualTypeOf<undefined>();
  expectTypeOf<FromSchema<{ readonly $ref: string }>>().toEqualTypeOf<JsonValue>();
  expect(order.lines).toHaveLength(1);
});
