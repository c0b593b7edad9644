import { expect, onTestFinished, test, vi } from "vitest";
import type { Themes } from "../themes.ts";
import { createChangingPainter } from "./changing-painter.ts";
import { THEMES } from "./theme.ts";

const FULL = 16_777_216;
const DARK_ACCENT = "\x1b[38;2;127;180;202m";
const LIGHT_ACCENT = "\x1b[38;2;11;97;119m";

const themes: Themes = {
  names: () => ["auto", "dark"],
  load: (name) => (name === "dark" ? { theme: THEMES.dark, problems: [] } : `There is no ${name}.`),
  watch: () => () => undefined,
};

function painter(wanted = "auto", env: NodeJS.ProcessEnv = {}) {
  const asked: string[] = [];
  const changes: string[] = [];
  const made = createChangingPainter({
    ...{ themes, depth: FULL, env, wanted },
    ask: () => asked.push("asked"),
    onChange: () => changes.push("changed"),
    say: () => undefined,
  });
  onTestFinished(made.close);
  return { ...made, asked, changes };
}

test("what is painted first follows COLORFGBG, and then the answer; an answer that changes nothing draws nothing", () => {
  const { begin, hear, painter: paint, changes, asked, why } = painter("auto", { COLORFGBG: "15;0" });
  expect(paint("accent")).toBe(DARK_ACCENT);
  expect(asked).toEqual([]); // not until somebody reads the answer
  begin();
  hear("\x1b]11;rgb:0000/0000/0000\x07");
  expect([asked, changes]).toEqual([["asked"], []]);
  hear("\x1b[?1u");
  hear("\x1b]11;rgb:ffff/ffff/ffff\x07");
  expect(changes).toEqual(["changed"]);
  expect(paint("accent")).toBe(LIGHT_ACCENT);
  expect(why()).toBe("now light: the terminal reports the background #ffffff");
});

test("a theme that was chosen asks nothing, and heeds no answer; auto, chosen later, asks", () => {
  const { begin, hear, painter: paint, asked, choose, current } = painter("dark");
  begin();
  hear("\x1b]11;rgb:ffff/ffff/ffff\x07");
  expect([paint("accent"), asked]).toEqual([DARK_ACCENT, []]);
  choose("auto");
  expect([current(), asked, paint("accent")]).toEqual(["auto", ["asked"], LIGHT_ACCENT]);
});

test("whoever leaves waits for an answer that was asked for: not twice, and not for long", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const state = async (heard: Promise<void>): Promise<string> => {
    let is = "waits";
    void heard.then(() => {
      is = "goes on";
    });
    await vi.advanceTimersByTimeAsync(0);
    return is;
  };
  const unasked = painter("dark");
  expect(await state(unasked.heard())).toBe("goes on");
  const answered = painter();
  answered.begin();
  const leaving = answered.heard();
  expect(await state(leaving)).toBe("waits");
  answered.hear("\x1b]11;rgb:0000/0000/0000\x07");
  expect(await state(leaving)).toBe("goes on");
  const silent = painter();
  silent.begin();
  const waiting = silent.heard();
  await vi.advanceTimersByTimeAsync(299);
  expect(await state(waiting)).toBe("waits");
  await vi.advanceTimersByTimeAsync(1);
  expect(await state(waiting)).toBe("goes on");
  expect(await state(silent.heard())).toBe("goes on");
});
