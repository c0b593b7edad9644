// The type of the values that a shape accepts, so that no type has to repeat the schema.

import type { JsonValue } from "indusagi/core";

/** What fits `Node`, in which `#/$defs/Name` is one of `Definitions`. */
export type ShapeType<Node, Definitions> = Node extends { readonly $ref: `#/$defs/${infer Name}` }
  ? Name extends keyof Definitions
    ? ShapeType<Definitions[Name], Definitions>
    : never
  : Node extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Node extends { readonly oneOf: readonly (infer One)[] }
      ? ShapeType<One, Definitions>
      : Node extends { readonly type: infer Type }
        ? NamedType<Type extends readonly (infer Each)[] ? Each : Type, Node, Definitions>
        : JsonValue;

type NamedType<Type, Node, Definitions> = Type extends keyof Simple
  ? Simple[Type]
  : Type extends "array"
    ? Node extends { readonly items: infer Item }
      ? readonly ShapeType<Item, Definitions>[]
      : never
    : Node extends { readonly properties: infer Properties }
      ? ObjectType<Properties, Node, Definitions>
      : Node extends { readonly additionalProperties: infer Additional }
        ? { readonly [key: string]: ShapeType<Additional, Definitions> }
        : never;

interface Simple {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

type ObjectType<Properties, Node, Definitions> = keyof Properties extends never
  ? Readonly<Record<string, never>>
  : {
      readonly [Name in keyof Properties as Name extends RequiredOf<Node> ? Name : never]: ShapeType<
        Properties[Name],
        Definitions
      >;
    } & {
      readonly [Name in keyof Properties as Name extends RequiredOf<Node> ? never : Name]?: ShapeType<
        Properties[Name],
        Definitions
      >;
    } & (Node extends { readonly additionalProperties: true }
        ? { readonly [key: string]: JsonValue }
        : unknown);

type RequiredOf<Node> = Node extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** The parameters and the result of each method; one whose result is undefined is a notification. */
export type MethodTypes<Methods, Definitions> = {
  readonly [Name in keyof Methods]: Methods[Name] extends {
    readonly params: infer Params extends keyof Definitions;
  }
    ? {
        readonly params: ShapeType<Definitions[Params], Definitions>;
        readonly result: Methods[Name] extends { readonly result: infer Result extends keyof Definitions }
          ? ShapeType<Definitions[Result], Definitions>
          : undefined;
      }
    : never;
};
