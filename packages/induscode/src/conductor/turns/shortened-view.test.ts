import type { Message } from "indusagi/llmgateway";
import { expect, test } from "vitest";
import { shortenedView } from "./shortened-view.ts";

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const outcome = (text: string): Message => ({
  role: "tool",
  callId: "c",
  name: "read",
  text,
  isError: false,
});

test("what fits is whole, and a long outcome loses its middle before anything short does", () => {
  const messages = [user("the task"), outcome(`BEGIN${"x".repeat(50_000)}END`), user("the last line")];
  expect(shortenedView(messages, 100_000)).toContain("x".repeat(50_000));
  const short = shortenedView(messages, 4_000);
  expect(short.length).toBeLessThan(4_100);
  expect(short).toMatch(
    /^\[user\] the task\n\[outcome of read\] BEGINx+ \[… \d+ characters omitted …\] x+END\n/,
  );
  expect(short).toContain("[user] the last line");
});

test("of very many steps the first and the last are kept", () => {
  const messages = Array.from({ length: 5_000 }, (_, at) => user(`step ${at}`));
  const short = shortenedView(messages, 10_000);
  expect(short.length).toBeLessThan(10_100);
  expect(short).toContain("[user] step 0\n[… 4950 steps omitted …]");
  expect(short).toContain("step 4999");
});

test("nothing is something, too", () => {
  expect(shortenedView([], 1_000)).toBe("");
});
