import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../../tests/support/test-workspace.ts";
import { editTool } from "./edit.ts";
import { likelyEncoding } from "./likely-encoding.ts";
import { readTool } from "./read.ts";

describe("the likely encoding of text is named for", () => {
  test.each([
    ["SHIFT_JIS", "// 設定を読み込む", "2f2f2090dd92e882f093c782dd8d9e82de"],
    ["SHIFT_JIS", "日本語", "93fa967b8cea"],
    ["EUC-JP", "// 設定を読み込む", "2f2f20c0dfc4eaa4f2c6c9a4dfb9fea4e0"],
    ["GB18030", "// 读取配置文件", "2f2f20b6c1c8a1c5e4d6c3cec4bcfe"],
    ["BIG5", "// 讀取設定檔案", "2f2f20c5aaa8fab35da977c0c9aed7"],
    ["EUC-KR", "// 설정 파일 읽기", "2f2f20bcb3c1a420c6c4c0cf20c0d0b1e2"],
    ["WINDOWS-1251", "имя = Привет мир", "e8ecff203d20cff0e8e2e5f220ece8f0"],
    ["KOI8-R", "имя = Привет мир", "c9cdd1203d20f0d2c9d7c5d420cdc9d2"],
  ])("%s: %s", (name, text, hex) => {
    const bytes = Buffer.from(hex, "hex");
    expect(new TextDecoder(name).decode(bytes)).toBe(text);
    expect(likelyEncoding(bytes)).toBe(name);
    const code = Buffer.from("int main(void) { return 0; }\n".repeat(5_000));
    expect(likelyEncoding(Buffer.concat([code, bytes, Buffer.from("\n"), code]))).toBe(name);
  });

  test.each(["café", "Änderung: größer als Überlauf", "déjà vu, naïve créée", "© 2020 – “don’t” 20 °C"])(
    "Windows-1252 by none: %s",
    (text) => {
      const quotes: Readonly<Record<string, number>> = { "–": 0x96, "“": 0x93, "”": 0x94, "’": 0x92 };
      const bytes = Buffer.from([...text].map((char) => quotes[char] ?? char.charCodeAt(0)));
      expect(new TextDecoder("windows-1252").decode(bytes)).toBe(text);
      expect(likelyEncoding(bytes)).toBeUndefined();
    },
  );

  test("nothing that has no words", () => {
    expect(likelyEncoding(Buffer.from(Array.from({ length: 255 }, (_, byte) => byte + 1)))).toBeUndefined();
    expect(likelyEncoding(Buffer.from("ascii"))).toBeUndefined();
  });
});

test("text in another encoding is read byte by byte, with its likely name, and refuses what it has not", async () => {
  const ws = createWorkspace();
  ws.put("a.txt", Buffer.from("2f2f2090dd92e882f093c782dd8d9e82de0a", "hex"));
  const { output } = await ws.call(readTool(), { path: "a.txt" });
  expect(output).toContain(
    "It is not UTF-8: shown as Windows-1252 (Latin-1). It is probably SHIFT_JIS: convert it to read its words " +
      "(iconv -f SHIFT_JIS -t UTF-8).",
  );
  expect((await ws.call(editTool(), { path: "a.txt", oldText: "// ", newText: "// 新" })).output).toBe(
    'Cannot edit a.txt: it is not UTF-8 and is read as Windows-1252 (Latin-1), which has no "新", and is probably SHIFT_JIS. ' +
      "Use only characters of that encoding, or convert the file first: iconv -f SHIFT_JIS -t UTF-8.",
  );
});

const utf16 = (text: string, order: string): Buffer => {
  const bytes = Buffer.from(text, "utf16le");
  return order === "UTF-16LE" ? bytes : bytes.swap16();
};

describe.each(["UTF-16LE", "UTF-16BE"])(
  "%s without a mark is no text, and is named, where taking its NULs for text shows gaps",
  (order) => {
    test.each([
      "alpha = 1\n",
      "größe: 5\r\n",
      "имя: Привет\n",
      "// 設定を読み込む\n",
      "名称: 测试\n",
      "설정 파일\n",
    ])("%s", async (text) => {
      const ws = createWorkspace();
      ws.put("a.txt", utf16(text.repeat(3), order));
      for (const input of [{ path: "a.txt" }, { path: "a.txt", byteOffset: 0 }])
        expect((await ws.call(readTool(), input)).output).toBe(
          `Cannot read a.txt: it is not text as it is: it looks like ${order} without a byte order mark. ` +
            `Convert it first: iconv -f ${order} -t UTF-8.`,
        );
    });
  },
);

test("text with NULs between its words stays text, and bytes that are no text are not called UTF-16", async () => {
  const ws = createWorkspace();
  for (const text of ["abcdef\0ghijkl\0".repeat(9), "a\n\0b\n"]) {
    ws.put("a.txt", text);
    expect((await ws.call(readTool(), { path: "a.txt" })).isError).toBe(false);
  }
  ws.put("a.bin", Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * at * 7) % 256)));
  expect((await ws.call(readTool(), { path: "a.bin" })).output).toMatch(
    /it is not text: it has a NUL at byte 0/,
  );
});

describe("what a file is, all of it says", () => {
  const report = {
    status: () => undefined,
    diff: () => undefined,
    cost: () => undefined,
    picture: () => undefined,
  };
  const read = async (content: string | Uint8Array): Promise<string> => {
    const ws = createWorkspace();
    ws.put("a", content);
    return String((await ws.call(readTool(), { path: "a" }, { framework: { report } })).output);
  };

  test.each([
    "GIF89a is a format\n",
    "\u0089PNG\r\n\u001a\n is how it begins\n",
    "BM stands for bitmap\n",
    "%PDF-1.7 is a version\n",
  ])("text that begins as a picture does: %j", async (text) =>
    expect(await read(text)).toMatch(/^Showing lines 1–/),
  );

  test("a PDF that is all plain text, and the smallest GIF", async () => {
    expect(await read("%PDF-1.4\n1 0 obj\n<<>>\nendobj\n")).toMatch(/^A document \(application\/pdf/);
    expect(await read(Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1"))).toMatch(/^A picture \(image\/gif/);
  });

  test.each([100, 5_000, 3_000_000])("a binary with %i bytes of text before and after it", async (length) => {
    const text = Buffer.alloc(length, "text\n");
    expect(
      await read(Buffer.concat([text, Buffer.from([0, 255, 0, 254]), Buffer.alloc(4_096, 0xfe), text])),
    ).toBe(`Cannot read a: it is not text: it has a NUL at byte ${length}, and is not valid UTF-8.`);
  });
});
