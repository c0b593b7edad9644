import { expect, test } from "vitest";
import * as fc from "../../../../../tests/support/fast-check.ts";
import type { Input } from "../contract.ts";
import { createKeyDecoder } from "./decode.ts";
import { spellKey } from "./spelling.ts";

/** Each input in short form: a key by its spelling, a text in quotes. */
function short(inputs: readonly Input[]): string {
  return inputs
    .map((input) => {
      if (input.kind === "focus") return input.isFocused ? "FOCUS" : "BLUR";
      if (input.kind === "reply") return `REPLY ${JSON.stringify(input.sequence)}`;
      const { key } = input;
      if (key.name === "text") return JSON.stringify(key.text);
      return key.name === "paste" ? `PASTE ${JSON.stringify(key.text)}` : (spellKey(key) ?? "?");
    })
    .join(" ");
}

function read(text: string): string {
  const decoder = createKeyDecoder();
  return short([...decoder.write(text), ...decoder.flush()]);
}

const sent: readonly (readonly [string, string, string])[] = [
  ["letters come together", "abc é漢😀", '"abc é漢😀"'],
  [
    "control letters",
    "\x01\x0a\x0d\x09\x7f\x08\x1f\x00",
    "ctrl+a ctrl+j enter tab backspace ctrl+h ctrl+_ ctrl+space",
  ],
  ["arrows of xterm, application mode and rxvt", "\x1b[A\x1bOB\x1b[c\x1bOd", "up down shift+right ctrl+left"],
  ["arrows with modifiers", "\x1b[1;5C\x1b[1;3D\x1b[1;6A", "ctrl+right alt+left ctrl+shift+up"],
  [
    "home, end, delete, pages, function keys",
    "\x1b[H\x1b[4~\x1b[3~\x1b[5~\x1bOP\x1b[15~\x1b[[A",
    "home end delete pageup f1 f5 f1",
  ],
  ["rxvt's modifiers", "\x1b[3^\x1b[3$\x1b[3@", "ctrl+delete shift+delete ctrl+shift+delete"],
  [
    "Alt with letters and controls",
    "\x1bb\x1bB\x1b\x7f\x1b\r\x1b ",
    "alt+b alt+shift+b alt+backspace alt+enter alt+space",
  ],
  ["Alt with a sequence", "\x1b\x1b[A\x1b\x1bOC", "alt+up alt+right"],
  ["Shift+Tab", "\x1b[Z", "shift+tab"],
  [
    "CSI u",
    "\x1b[13;2u\x1b[27u\x1b[97;5u\x1b[97;6u\x1b[9;2u\x1b[127;5u\x1b[32;5u",
    "shift+enter escape ctrl+a ctrl+shift+a shift+tab ctrl+backspace ctrl+space",
  ],
  [
    "CSI u with letters: typed, shifted, with their text, released",
    "\x1b[97u\x1b[97:65;2u\x1b[97;1;228u\x1b[97;5:3u",
    '"a" "A" "ä"',
  ],
  ["Caps Lock and Num Lock change nothing", "\x1b[97;69u\x1b[97;197u\x1b[1;129A", "ctrl+a ctrl+a up"],
  ["the keypad of CSI u", "\x1b[57404u\x1b[57414u\x1b[57419u", '"5" enter up'],
  ["modifyOtherKeys", "\x1b[27;2;13~\x1b[27;5;105~\x1b[27;2;65~", 'shift+enter ctrl+i "A"'],
  [
    "a paste is one key, without control",
    "\x1b[200~a\rb\x1b[31mc\x03\r\nd\x1b[201~e",
    'PASTE "a\\nbc\\nd" "e"',
  ],
  ["focus", "\x1b[I\x1b[O", "FOCUS BLUR"],
  [
    "answers",
    "\x1b[?62;4c\x1b[?1u\x1b[12;40R\x1b]11;rgb:00/00/00\x1b\\\x1b]11;rgb:ff/ff/ff\x07",
    'REPLY "\\u001b[?62;4c" REPLY "\\u001b[?1u" REPLY "\\u001b[12;40R" REPLY "\\u001b]11;rgb:00/00/00\\u001b\\\\" REPLY "\\u001b]11;rgb:ff/ff/ff\\u0007"',
  ],
  ["F3 with Shift has the form of a cursor report", "\x1b[1;2R", "shift+f3"],
  ["the mouse, lock keys and Super are nothing", "\x1b[<0;10;10M\x1b[57358u\x1b[97;9u", ""],
  ["Esc alone, twice, and Alt+[", "\x1b", "escape"],
  ["Esc twice", "\x1b\x1b", "escape escape"],
  ["Alt+[", "\x1b[", "alt+["],
  ["Alt+O", "\x1bO", "alt+shift+o"],
  ["a sequence that ends nowhere", "\x1b[1;", ""],
  ["a sequence that no terminal sends", "\x1b[1\x01x", 'ctrl+a "x"'],
];

test.each(sent)("%s", (_name, bytes, keys) => {
  expect(read(bytes)).toBe(keys);
});

test("however the bytes are cut, the keys are the same", () => {
  const whole = Buffer.from(
    sent
      .slice(0, 19)
      .map(([, bytes]) => bytes)
      .join(""),
  );
  const joined = (inputs: readonly Input[]): string => short(inputs).replaceAll('" "', "");
  const first = createKeyDecoder();
  const expected = joined([...first.write(whole), ...first.flush()]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
      const decoder = createKeyDecoder();
      const inputs: Input[] = [];
      for (let at = 0, n = 0; at < whole.length; n++) {
        const size = sizes[n % sizes.length] ?? 1;
        inputs.push(...decoder.write(whole.subarray(at, at + size)));
        at += size;
      }
      expect(joined([...inputs, ...decoder.flush()])).toBe(expected);
    }),
  );
});

test("after any bytes the decoder reads the next key", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
      const decoder = createKeyDecoder();
      for (const chunk of chunks) decoder.write(chunk);
      decoder.write("\x1b[201~"); // in case a paste is open
      decoder.flush();
      decoder.flush();
      expect(decoder.isWaiting()).toBe(false);
      expect(short(decoder.write("\x1b[A"))).toMatch(/up$/);
    }),
  );
});

test("a paste never sends, however long it takes and whatever it holds", () => {
  const decoder = createKeyDecoder();
  const inputs = [
    ...decoder.write("\x1b[200~rm -rf /\r"),
    ...decoder.flush(),
    ...decoder.write("\r\x1b[20"),
    ...decoder.flush(),
  ];
  expect(inputs).toEqual([]);
  expect(decoder.isWaiting()).toBe(false);
  expect(short(decoder.write("1~"))).toBe('PASTE "rm -rf /\\n\\n"');
});

test("an answer without an end is dropped, and swallows no key after its bound", () => {
  const decoder = createKeyDecoder();
  expect(short(decoder.write(`\x1b]52;c;${"A".repeat(100_000)}`))).toBe("");
  expect(short(decoder.write("\x07x"))).toBe('"x"');
});

test("an answer about the background is no text, wherever a pause cuts it, nor what is typed behind it a part of it", () => {
  const answer = "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\";
  for (let first = 1; first < answer.length; first++)
    for (let second = first; second < answer.length; second++) {
      const decoder = createKeyDecoder();
      const inputs: Input[] = [];
      for (const part of [answer.slice(0, first), answer.slice(first, second), answer.slice(second)]) {
        inputs.push(...decoder.write(part), ...decoder.flush());
      }
      const read = short([...inputs, ...decoder.write("hello")]);
      // An Esc with no more input for that long counts as pressed.
      expect(read.replace(/^(?:escape|alt\+\]) /, ""), `cut at ${first} and ${second}`).toBe(
        `REPLY ${JSON.stringify(answer)} "hello"`,
      );
    }
});

test("keys that only begin like a terminal's answer are typed text", () => {
  const typedAfter = (...parts: readonly string[]): string => {
    const decoder = createKeyDecoder();
    return short(parts.flatMap((part) => [...decoder.write(part), ...decoder.flush()]));
  };
  expect(typedAfter("\x1b", "]", "1", "x")).toBe('escape "]1x"');
  expect(typedAfter("\x1b", "]11", "\r")).toBe('escape "]11" enter');
  expect(typedAfter("\x1b", "\x1b[A")).toBe("escape up");
  expect(typedAfter("\x1b]11;rgb:00", "hello")).toBe('"hello"');
});

test("a paste of more than 16 MiB is cut, and says so", () => {
  const decoder = createKeyDecoder();
  decoder.write("\x1b[200~");
  for (let n = 0; n < 18; n++) decoder.write("x".repeat(1024 * 1024));
  const [input] = decoder.write("\x1b[201~");
  const text = input?.kind === "key" ? (input.key.text ?? "") : "";
  expect(text.slice(-60)).toMatch(/\[cut: more than 16777216 characters were pasted\]$/);
});
