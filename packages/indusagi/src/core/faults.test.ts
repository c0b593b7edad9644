import { expect, it } from "vitest";
import { describeError } from "./faults.ts";

it("any thrown value is described", () => {
  expect([new Error("broken"), new TypeError(), "a text", null, undefined, 7].map(describeError)).toEqual([
    "broken",
    "TypeError",
    "a text",
    "a thrown null",
    "a thrown undefined",
    "a thrown number",
  ]);
});

it("a getter, a `toString` or a proxy that throws does not make the description throw", () => {
  const crossing = (): never => {
    throw new Error("crossed");
  };
  const getter = Object.defineProperty(new Error(), "message", { get: crossing });
  const text = Object.defineProperty(new Error(), "message", { value: { toString: crossing } });
  const proxy = new Proxy(new Error(), { getPrototypeOf: crossing });
  expect([getter, text, proxy].map(describeError)).toEqual(
    Array(3).fill("an error that cannot be described"),
  );
  expect(() => getter.message).toThrow("crossed"); // the twin: reading it plainly
});

it("a message that is no text becomes one", () => {
  expect(describeError(Object.defineProperty(new Error(), "message", { value: 404 }))).toBe("404");
});

it("keeps both ends of a message of more than 4 KiB", () => {
  const told = describeError(new Error(`begin${"x".repeat(1_000_000)}end`));
  expect(told).toMatch(/^beginx+ … 995912 bytes omitted … x+end$/);
  expect(told.length).toBeLessThan(4200);
});
