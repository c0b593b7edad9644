// What stands in `[[ ]]`: bash neither splits nor expands these words to files, but some operators calculate, and a name in a calculation
// can run a command: `a[$(x)]`.

import type { TestExpression, Word } from "unbash";

/** An operator as written, or a word. */
export type TestToken = string | Word;

/** The operators and words in written order. */
export function testTokens(test: TestExpression): readonly TestToken[] {
  switch (test.type) {
    case "TestUnary":
      return [test.operator, test.operand];
    case "TestBinary":
      return [test.left, test.operator, test.right];
    case "TestNot":
      return ["!", ...testTokens(test.operand)];
    case "TestGroup":
      return ["(", ...testTokens(test.expression), ")"];
    case "TestLogical":
      return test.operands.flatMap((each, at) => [...(at === 0 ? [] : [test.operator]), ...testTokens(each)]);
  }
}

const CALCULATES = /^-(?:eq|ne|lt|le|gt|ge)$/;
/** They look a variable up by its name, which may have an index. */
const NAMES = /^-[vR]$/;
/** Its value is a number whatever happens. */
const COUNT = /^(?:"?\$(?:[#?!$]|\{#\w+\}|\{#\w+\[@\]\})"?)$/;

/** Why what it tests may run a command; undefined if it only compares, or looks at files. */
export function oddInTest(
  tokens: readonly TestToken[],
  values: readonly (string | undefined)[],
): string | undefined {
  const isNumber = (at: number): boolean => {
    const token = tokens[at];
    return typeof token === "object" && (/^-?\d{1,18}$/.test(values[at] ?? "") || COUNT.test(token.text));
  };
  for (const [at, token] of tokens.entries()) {
    if (typeof token !== "string") continue;
    if (NAMES.test(token))
      return "it tests a variable, and bash runs a command in brackets in the variable's name";
    if (CALCULATES.test(token) && !(isNumber(at - 1) && isNumber(at + 1)))
      return "it uses variable names in arithmetic";
  }
  return undefined;
}
