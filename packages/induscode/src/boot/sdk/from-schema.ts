// The type of what fits a JSON Schema that stands in the program's own text.

import type { JsonValue } from "indusagi/core";

/** A JSON Schema as it is written: in TypeScript its literals are kept. */
export type SchemaLiteral = Readonly<Record<string, unknown>>;

/**
 * What fits a schema: `type`, `properties`, `required`, `items`, `enum`, `const`, `anyOf` and `oneOf` are understood, and of anything else
 * any JSON value is expected. Undefined where there is no schema.
 */
export type FromSchema<S> = S extends undefined
  ? undefined
  : S extends { readonly const: infer Value }
    ? Value
    : S extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : S extends { readonly anyOf: readonly (infer Choice)[] }
        ? FromSchema<Choice>
        : S extends { readonly oneOf: readonly (infer Choice)[] }
          ? FromSchema<Choice>
          : S extends { readonly type: readonly (infer Kind)[] }
            ? FromSchema<Kind extends string ? Omit<S, "type"> & { readonly type: Kind } : never>
            : S extends { readonly type: "string" }
              ? string
              : S extends { readonly type: "number" | "integer" }
                ? number
                : S extends { readonly type: "boolean" }
                  ? boolean
                  : S extends { readonly type: "null" }
                    ? null
                    : S extends { readonly type: "array"; readonly items: infer Item }
                      ? readonly FromSchema<Item>[]
                      : S extends {
                            readonly properties: infer Fields;
                            readonly required: readonly (infer Name)[];
                          }
                        ? {
                            readonly [Key in keyof Fields as Key extends Name ? Key : never]: FromSchema<
                              Fields[Key]
                            >;
                          } & {
                            readonly [Key in keyof Fields as Key extends Name ? never : Key]?: FromSchema<
                              Fields[Key]
                            >;
                          }
                        : S extends { readonly properties: infer Fields }
                          ? { readonly [Key in keyof Fields]?: FromSchema<Fields[Key]> }
                          : JsonValue;
