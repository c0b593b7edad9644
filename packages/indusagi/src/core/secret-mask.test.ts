import { describe, expect, it } from "vitest";
import * as fc from "../../../../tests/support/fast-check.ts";
import { createSecretMask, type SecretMask } from "./secret-mask.ts";

const PLAIN = "hunter2-Zq8x";
const ODD = "p\"ä\\ss/w?r d+1%'";
const LONG = "tok_5Hq2LpXv9sKd03mNbWz7YcRt41Ej";
const KEY = `-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END KEY-----`;

function maskOf(secrets: Readonly<Record<string, string>>): SecretMask {
  const mask = createSecretMask();
  for (const [name, value] of Object.entries(secrets)) expect(mask.add(name, value)).toBeUndefined();
  return mask;
}

/** Every form of a secret that masking promises to cover, by name. */
function written(value: string): Readonly<Record<string, string>> {
  const encoded = (before: string): string => Buffer.from(`${before}${value}!`).toString("base64");
  const url = (before: string): string => Buffer.from(`${before}${value}!`).toString("base64url");
  return {
    whole: value,
    "JSON-escaped": JSON.stringify(value),
    "JSON in JSON": JSON.stringify(JSON.stringify(value)),
    "JSON in ASCII": JSON.stringify(value).replace(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
    "URL-encoded": encodeURIComponent(value),
    "URL-encoded in lower case": encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
    "a form": new URLSearchParams({ value }).toString().slice("value=".length),
    base64: encoded(""),
    "base64, one byte on": encoded("x"),
    "base64, two bytes on": encoded("xy"),
    base64url: url(""),
    "base64url, one byte on": url("x"),
    "base64url, two bytes on": url("xy"),
  };
}

describe.each([
  ["plain", PLAIN],
  ["odd", ODD],
  ["long", LONG],
  ["as short as may be", "a1b2c3"],
])("a secret that is %s", (_, value) => {
  it.each(Object.entries(written(value)))("is masked: %s", (_form, text) => {
    const mask = maskOf({ DB_PASSWORD: value });
    const masked = mask.text(`before ${text} after`);
    expect(masked).toMatch(/^before .{0,3}\[secret DB_PASSWORD\].{0,5} after$/s);
    expect(mask.text(masked)).toBe(masked);
    // The twin: without the secret the text is unchanged.
    expect(createSecretMask().text(text)).toBe(text);
  });

  it("is masked however a stream is cut, and only what may begin a secret is held back", () => {
    const mask = maskOf({ DB_PASSWORD: value, OTHER: `${value.slice(0, 5)}zzzz` });
    for (const text of Object.values(written(value))) {
      const whole = `before ${text}${text.slice(0, 4)} after`;
      for (let cut = 0; cut <= whole.length; cut++) {
        const stream = mask.stream();
        const pieces = [stream.write(whole.slice(0, cut)), stream.write(whole.slice(cut)), stream.end()];
        // The character before base64 that shares bits with the secret may have been emitted already.
        const edge = `${whole.charAt(cut - 1)}[secret DB_PASSWORD]`;
        expect([mask.text(whole), mask.text(whole).replace("[secret DB_PASSWORD]", edge)]).toContain(
          pieces.join(""),
        );
        // At most the length of its longest form.
        expect(cut - (pieces[0]?.length ?? 0)).toBeLessThan(5 * value.length);
      }
    }
  });
});

describe.each([PLAIN, `${PLAIN}1`, `${PLAIN}12`, LONG, `${LONG}1`, `${LONG}12`])("%s in base64", (value) => {
  const NEXT = ["", "!", "!?", "!?.", "and what follows it, which is long"];
  const places = ["", "x", "xy", "xyz", "before it: "].flatMap((before) =>
    NEXT.flatMap((after) =>
      (["base64", "base64url"] as const).map((alphabet) => ({ before, after, alphabet })),
    ),
  );

  it.each(places)(
    "leaves no character with a bit of it: $alphabet after '$before' and before '$after'",
    (at) => {
      const mask = maskOf({ S: value });
      const text = Buffer.from(at.before + value + at.after).toString(at.alphabet);
      const bits = { before: at.before.length * 8, to: (at.before.length + value.length) * 8 };
      const rest = text.slice(Math.ceil(bits.to / 6));
      const expected = `${text.slice(0, Math.floor(bits.before / 6))}[secret S]${at.after === "" ? "" : rest}`;
      expect(mask.text(text)).toBe(expected);
      for (let cut = 0; cut <= text.length; cut++) {
        const stream = mask.stream();
        const pieces = [stream.write(text.slice(0, cut)), stream.write(text.slice(cut)), stream.end()];
        const isAtEdge = cut === Math.ceil(bits.before / 6);
        const withEdge = expected.replace("[", `${text.charAt(cut - 1)}[`);
        expect([expected, ...(isAtEdge ? [withEdge] : [])]).toContain(pieces.join(""));
      }
      // The encoder can break the line anywhere; if an edge is cut off, its few bits stay.
      for (let cut = 1; cut < text.length; cut++)
        for (const lineEnd of ["\n", "\r\n"]) {
          const masked = mask.text(text.slice(0, cut) + lineEnd + text.slice(cut));
          expect(masked).toContain("[secret S]");
          expect(masked.replace(/[\r\n]/g, "").length).toBeLessThanOrEqual(expected.length + 3);
        }
    },
  );
});

it("hexadecimal digits are masked in both cases", () => {
  const mask = maskOf({ S: PLAIN });
  const hex = Buffer.from(`<${PLAIN}>`).toString("hex");
  expect(mask.text(hex)).toBe("3c[secret S]3e");
  expect(mask.text(hex.toUpperCase())).toBe("3C[secret S]3E");
});

it("masks a text in any pieces as it masks the whole", () => {
  const mask = maskOf({ A: PLAIN, B: ODD, C: LONG, D: KEY });
  const words = [PLAIN, ODD, LONG, KEY, PLAIN.slice(0, 7), LONG.slice(0, 20), ...Object.values(written(ODD))];
  const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 })), { maxLength: 12 });
  const check = fc.property(text, fc.array(fc.nat({ max: 30 })), (parts, sizes) => {
    const whole = parts.join("");
    const stream = mask.stream();
    let shown = "";
    let at = 0;
    for (const size of sizes) {
      shown += stream.write(whole.slice(at, at + size));
      at += size;
    }
    shown += stream.write(whole.slice(at)) + stream.end();
    for (const secret of [PLAIN, ODD, LONG]) expect(shown).not.toContain(secret);
    expect(mask.text(shown)).toBe(shown);
  });
  fc.assert(check, { numRuns: 500 });
});

describe("a part of a long secret", () => {
  const mask = maskOf({ TOKEN: LONG, PEM: KEY });

  it("is masked as a whole only, where something public may share a half", () => {
    const mask = createSecretMask();
    mask.add("LOGIN", "test-secret-1795919500000", { isWhole: true });
    expect(mask.text("id=test-client-1795919500000")).toBe("id=test-client-1795919500000");
    expect(mask.text("secret=test-secret-1795919500000")).toBe("secret=[secret LOGIN]");
    const other = createSecretMask();
    other.add("LOGIN", "test-secret-1795919500000");
    expect(other.text("id=test-client-1795919500000")).toBe("id=test-clien[secret LOGIN]");
  });

  it("is masked where it is at least a half: what a cut left of it", () => {
    expect(mask.text(`${LONG.slice(0, 20)}… trimmed`)).toBe("[secret TOKEN]… trimmed");
    expect(mask.text(`trimmed …${LONG.slice(12)}`)).toBe("trimmed …[secret TOKEN]");
    expect(mask.text(LONG.slice(0, 15))).toBe(LONG.slice(0, 15));
  });

  it("is masked line by line, where it has lines", () => {
    const lines = KEY.split("\n").map((line, at) => `${at + 1}\t${line}`);
    expect(mask.text(lines.join("\n"))).toBe(
      "1\t-----BEGIN KEY-----\n2\t[secret PEM]\n3\t[secret PEM]\n4\t-----END KEY-----",
    );
  });

  it("says nothing of an address, whose half is no secret", () => {
    const url = "https://u1:Xk29fmQp@db.internal.example.org:5432/main";
    const address = maskOf({ DSN: url });
    expect(address.text(`see ${url}`)).toBe("see [secret DSN]");
    expect(address.text("see db.internal.example.org:5432/main")).toContain("example.org");
  });
});

describe("a JSON value", () => {
  const mask = maskOf({ DB_PASSWORD: PLAIN });

  it("is masked in its texts and its keys, and is another value only where something changed", () => {
    const clean = { list: ["a", { deep: "b" }], none: null, count: 1 };
    expect(mask.value(clean)).toBe(clean);
    expect(mask.value({ [PLAIN]: [clean, `x${PLAIN}`] })).toEqual({
      "[secret DB_PASSWORD]": [clean, "x[secret DB_PASSWORD]"],
    });
  });
});

describe("what is not masked", () => {
  it.each([
    ["true", "it has fewer than 6 characters"],
    ["", "it has fewer than 6 characters"],
    ["postgres", "it is an ordinary word"],
    ["Development", "it is an ordinary word"],
    ["aaaaaaaaaa", "it repeats one or two characters"],
    ["20241122", "it is a short number"],
  ])("%j, and it says so: %s", (value, why) => {
    const mask = createSecretMask();
    expect(mask.add("DB_PASSWORD", value)).toBe(why);
    expect(mask.text(`a ${value} b`)).toBe(`a ${value} b`);
  });

  it("a value that its placeholder would show", () => {
    expect(createSecretMask().add("MY_TOKEN_1", "TOKEN_1")).toBe("its name contains it");
  });

  it("what the person wants to see", () => {
    const mask = maskOf({ DB_PASSWORD: PLAIN });
    mask.show("DB_PASSWORD");
    expect(mask.add("DB_PASSWORD", PLAIN)).toBeUndefined();
    expect(mask.text(PLAIN)).toBe(PLAIN);
  });
});

it("finds a secret that colours interrupt, and leaves other colours", () => {
  const mask = maskOf({ DB_PASSWORD: PLAIN });
  const coloured = `\u001b[1mpw\u001b[m=${PLAIN.slice(0, 3)}\u001b[01;31m\u001b[K${PLAIN.slice(3, 7)}\u001b[m${PLAIN.slice(7)}`;
  expect(mask.text(coloured)).toBe("pw=[secret DB_PASSWORD]");
  expect(mask.value({ a: [coloured] })).toEqual({ a: ["pw=[secret DB_PASSWORD]"] });
  const harmless = `\u001b[1mpw\u001b[m=${PLAIN.slice(1)}`;
  expect(mask.text(harmless)).toBe(harmless);
});

it("knows its placeholders, and no others", () => {
  const mask = maskOf({ DB_PASSWORD: PLAIN });
  expect(mask.placeholderIn("a [secret DB_PASSWORD] b")).toBe("[secret DB_PASSWORD]");
  expect(mask.placeholderIn("a [secret OTHER] b")).toBeUndefined();
});
