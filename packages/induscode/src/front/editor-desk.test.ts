import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDesk } from "./editor-desk.ts";

async function deskIn(cwd: string, env: NodeJS.ProcessEnv = {}): ReturnType<typeof openDesk> {
  return openDesk({
    ...{ cwd, home: join(cwd, "home"), personHome: cwd, env, isVi: false },
    mask: (text) => text,
  });
}

it("a line with words after an @ that no file can have is sent as it is", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "indus-desk-"));
  writeFileSync(join(cwd, "a.txt"), "the text");
  const desk = await deskIn(cwd);
  const long = "x".repeat(300); // ENAMETOOLONG
  const text = `see @a.txt @${long} @a.txt/b @missing`;
  const { content, problems } = await desk.contentOf({ text, shown: text, images: [] });
  expect(problems).toEqual([]);
  expect(content[0]).toEqual({ kind: "text", text });
  expect(JSON.stringify(content.slice(1))).toContain("the text");
  expect(desk.imageAt(`/${long}.png`)).toBeUndefined();
});

it("a picture is sent as what it is, whatever its name says, and nothing else is sent as one", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "indus-desk-"));
  writeFileSync(join(cwd, "web.png"), Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]));
  writeFileSync(join(cwd, "page.png"), "<html>not found</html>");
  const desk = await deskIn(cwd);
  const text = "see @web.png";
  writeFileSync(join(cwd, "none.png"), "");
  writeFileSync(join(cwd, "scan.png"), Buffer.from([0x49, 0x49, 0x2a, 0, 0xff]));
  const dropped = ["page.png", "none.png", "scan.png"].map((name) => join(cwd, name));
  const { content, problems } = await desk.contentOf({ text, shown: text, images: dropped });
  expect(content.slice(1)).toEqual([{ kind: "image", mediaType: "image/jpeg", data: "/9j/4AA=" }]);
  expect(problems).toEqual([
    `@${dropped[0]} does not match its extension: it is text, neither a PNG, JPEG, GIF or WebP image nor a PDF; rename it to attach it`,
    `@${dropped[1]} is empty`,
    `@${dropped[2]} is neither UTF-8 text nor a PNG, JPEG, GIF or WebP image nor a PDF`,
  ]);
});

it.skipIf(process.platform !== "linux")("an image from the clipboard is sent, and is no file", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "indus-desk-"));
  writeFileSync(join(cwd, "xclip"), "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n\\0'\n", { mode: 0o755 });
  const desk = await deskIn(cwd, { DISPLAY: ":0", PATH: `${cwd}:/usr/bin:/bin` });
  const image = (await desk.clipboardImage()) ?? "";
  expect(existsSync(image)).toBe(false);
  const { content, problems } = await desk.contentOf({ text: "see", shown: "see", images: [image, image] });
  const shown = { kind: "image", mediaType: "image/png", data: "iVBORw0KGgoA" };
  expect([content.slice(1), problems]).toEqual([[shown, shown], []]);
});

it("a dropped file whose name has an apostrophe is found", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "indus-desk-"));
  const path = join(cwd, "it's.png");
  writeFileSync(path, "");
  const desk = await deskIn(cwd);
  expect(desk.imageAt(`'${path.replace("'", "'\\''")}' `)).toBe(path);
  expect(desk.imageAt(path.replace("'", "\\'"))).toBe(path);
});

it.skipIf(process.platform === "win32").each([
  ["exit 3 #", /^exit 3 # exited with code 3; the text is unchanged$/],
  ["kill -KILL $$ #", /^kill -KILL \$\$ # was killed by SIGKILL; the text is unchanged$/],
])("an editor that fails says how: %s", async (editor, words) => {
  const desk = await deskIn(mkdtempSync(join(tmpdir(), "indus-desk-")), { ...process.env, VISUAL: editor });
  await expect(desk.editElsewhere("text")).rejects.toThrow(words);
});
