import { expect, it } from "vitest";
import { inWords, mistakesInWords } from "./validator-words.ts";

const issue = (path: readonly string[], message: string, more: object = {}) => ({
  ...{ code: "invalid_type", path, message },
  ...more,
});

it("says of a list of mistakes which value was expected where, and what was found", () => {
  const list = [
    issue(["a", "b"], "Invalid input: expected string, received undefined"),
    issue([], 'Unrecognized key: "id"'),
  ];
  expect(mistakesInWords(`Invalid request: ${JSON.stringify(list)}`)).toBe(
    'Invalid request: "a.b": expected string, found nothing; Unrecognized key: "id"',
  );
});

it("says of several forms the one that a value is nearest to, and no more than five mistakes", () => {
  const far = ["x", "y"].map((key) => issue([key], "Invalid input: expected number, received string"));
  const near = issue(["x"], "Invalid input: expected boolean, received null");
  const union = issue(["p"], "Invalid input", { code: "invalid_union", errors: [far, [near]] });
  expect(mistakesInWords(JSON.stringify([union]))).toBe('"p.x": expected boolean, found null');
  const many = Array.from({ length: 7 }, (_, at) => issue([`k${at}`], "Required"));
  expect(mistakesInWords(JSON.stringify(many))).toMatch(/"k4": Required; and 2 more$/);
});

it.each(["plain words", "the pattern [a-z] is wrong", "[]", '["a"]', "[{}]", "[1"])(
  "leaves other words as they are: %s",
  (text) => {
    expect(mistakesInWords(text)).toBeUndefined();
    const message = { id: 1, error: { code: 1, message: text, data: { uri: "x" } } };
    expect(inWords(message)).toBe(message);
  },
);

it("says what stands beside an error as a tree", () => {
  const data = { _errors: [], cwd: { _errors: ["Invalid input: expected string, received number"] } };
  expect(inWords({ id: 1, error: { code: -32602, message: "Invalid params", data } })).toEqual({
    id: 1,
    error: { code: -32602, message: 'Invalid params: "cwd": expected string, found number' },
  });
});
