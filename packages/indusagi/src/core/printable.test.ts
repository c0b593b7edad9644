import { describe, expect, test } from "vitest";
import { growthOf } from "../../../../tests/support/effort.ts";
import { createPrintable, printable } from "./printable.ts";

const ESC = "\x1b";

// The twin: what many programs do instead, removing colours only. It shows that each attack below is live.
const removeColours = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, "");

interface Attack {
  readonly name: string;
  readonly text: string;
  readonly shown: string;
}

const ATTACKS: readonly Attack[] = [
  { name: "OSC 52 writes the clipboard", text: `a${ESC}]52;c;cm0gLXJmIH4=\x07b`, shown: "ab" },
  { name: "OSC 52 ended by ST", text: `a${ESC}]52;c;cm0gLXJmIH4=${ESC}\\b`, shown: "ab" },
  { name: "OSC 0 changes the title", text: `${ESC}]0;root@prod\x07done`, shown: "done" },
  {
    name: "OSC 8 hides an address behind a link",
    text: `${ESC}]8;;http://evil${ESC}\\docs${ESC}]8;;${ESC}\\`,
    shown: "docs",
  },
  { name: "cursor moves overwrite what was shown", text: `rm -rf /${ESC}[8D${ESC}[Kls`, shown: "rm -rf /ls" },
  { name: "a lone CR overwrites the line", text: "rm -rf /\rls      ", shown: "rm -rf /ls      " },
  { name: "backspaces overwrite the line", text: "rm\b\bls", shown: "rmls" },
  { name: "the alternate screen hides the session", text: `${ESC}[?1049hgone`, shown: "gone" },
  { name: "8-bit CSI", text: "a\x9b2Jb", shown: "ab" },
  { name: "8-bit OSC ended by 8-bit ST", text: "a\x9d0;title\x9cb", shown: "ab" },
  { name: "8-bit DCS", text: 'a\x90$q"p\x9cb', shown: "ab" },
  { name: "DCS asks the terminal to type an answer", text: `a${ESC}P$qm${ESC}\\b`, shown: "ab" },
  {
    name: "APC, PM and SOS strings",
    text: `a${ESC}_G\x07i=1${ESC}\\b${ESC}^pm${ESC}\\c${ESC}Xsos${ESC}\\d`,
    shown: "abcd",
  },
  {
    name: "two-byte escapes reset the terminal and change its character set",
    text: `${ESC}ca${ESC}(0b${ESC}7`,
    shown: "ab",
  },
  {
    name: "an OSC that nobody ends hides nothing",
    text: `a${ESC}]0;never ends\nb\nc`,
    shown: "a\\u{1b}]0;never ends\nb\nc",
  },
  {
    name: "DCS, APC, PM and SOS that nobody ends hide nothing",
    text: ["P", "_", "^", "X"].map((kind) => `${ESC}${kind}rm -rf /\n`).join(""),
    shown: ["P", "_", "^", "X"].map((kind) => `\\u{1b}${kind}rm -rf /\n`).join(""),
  },
  { name: "an 8-bit OSC at the text's end", text: "a\x9d0;rm\x08\u202e", shown: "a\\u{9d}0;rm\\u{202e}" },
  { name: "a CSI that nobody ends", text: `a${ESC}[3 12\nb${ESC}`, shown: "a\\u{1b}[3 12\nb\\u{1b}" },
  {
    name: "an escape sequence begun inside another",
    text: `a${ESC}]0;x${ESC}[31mred${ESC}[0m`,
    shown: "a\\u{1b}]0;xred",
  },
  { name: "CAN gives up a sequence", text: `a${ESC}[3\x18b`, shown: "a\\u{1b}[3b" },
];

describe("printable", () => {
  test.each(ATTACKS)("$name: removed", ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });

  test.each(ATTACKS)("$name: acts on the terminal when only colours are removed", ({ text }) => {
    expect(removeColours(text)).toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
  });

  test("a whole-sequence pattern, chunk by chunk, lets a cut sequence through; the stream does not", () => {
    const pattern = /\x1b\][^\x07]*\x07/g;
    const chunks = [`a${ESC}]52;c;`, "cm0=\x07b"];
    expect(chunks.map((chunk) => chunk.replace(pattern, "")).join("")).toBe(`a${ESC}]52;c;cm0=\x07b`);
    const stream = createPrintable();
    expect(chunks.map((chunk) => stream.write(chunk)).join("") + stream.end()).toBe("ab");
  });

  test("bidi controls and tag characters are shown, the joiners of emoji and scripts stay", () => {
    expect(printable("a\u202eb\u2066c\u{e0041}d")).toBe("a\\u{202e}b\\u{2066}c\\u{e0041}d");
    const kept = "👩‍👩‍👧 می‌خواهم \u200bไทย ✔️ 葛󠄀";
    expect(printable(kept)).toBe(kept);
  });

  test("LF and TAB stay, CRLF becomes LF, every other control goes", () => {
    expect(printable("a\tb\r\nc\0\x07\x0b\x0c\x7f\x85d\n")).toBe("a\tb\ncd\n");
  });

  test("a sequence that never ends is given up after 4 KiB, and all of it is shown", () => {
    const stream = createPrintable();
    let shown = stream.write(`${ESC}]0;`);
    for (let i = 0; i < 10; i++) shown += stream.write("x".repeat(1000));
    expect(shown).toBe(`\\u{1b}]0;${"x".repeat(10_000)}`);
    expect(stream.end()).toBe("");
  });

  test("after end() a stream begins anew", () => {
    const stream = createPrintable();
    expect([stream.write(`a${ESC}]0;cut`), stream.end(), stream.write("b"), stream.end()]).toEqual([
      "a",
      "\\u{1b}]0;cut",
      "b",
      "",
    ]);
  });

  test("the halves of a character wait for each other", () => {
    const stream = createPrintable();
    expect([stream.write("a\ud83d"), stream.write("\ude00b"), stream.write("\ud83d"), stream.end()]).toEqual([
      "a",
      "😀b",
      "",
      "\ufffd",
    ]);
    // Otherwise removing what is between two halves would make a character that nobody checked.
    expect(printable("\udb40\x1b\udc41")).toBe("\ufffd\\u{1b}\ufffd");
  });

  test("each clean delta is the same string, and costs the same however many came before it", () => {
    expect(
      growthOf([200, 2_000, 20_000], (count) => {
        const stream = createPrintable();
        for (let i = 0; i < count; i++) {
          const delta = `word${i} `;
          if (stream.write(delta) !== delta) throw new Error(delta);
        }
      }),
    ).toBe("even");
  });

  test.each(ATTACKS)("$name: cut at any place, the same as whole", ({ text, shown }) => {
    for (let cut = 0; cut <= text.length; cut++) {
      const stream = createPrintable();
      expect(stream.write(text.slice(0, cut)) + stream.write(text.slice(cut)) + stream.end()).toBe(shown);
    }
  });
});
