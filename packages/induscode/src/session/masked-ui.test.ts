import { createSecretMask } from "indusagi/core";
import { expect, test } from "vitest";
import type { SessionUi, UiDialog } from "../feature/ui.ts";
import { maskedUi } from "./masked-ui.ts";

const SECRET = "tok-0123456789abcdef";
const TYPED = "typed-fedcba9876543210";
const never = new AbortController().signal;

function open() {
  const seen: unknown[] = [];
  const inner: SessionUi = {
    status: (...told) => void seen.push(told),
    render: (...told) => void seen.push(told),
    ask: async (_feature, dialog) => {
      seen.push(dialog);
      return TYPED;
    },
    clear: (...told) => void seen.push(told),
  };
  const mask = createSecretMask();
  mask.add("TOKEN", SECRET);
  return { seen, mask, ui: maskedUi(inner, mask) };
}

test("no secret is shown, wherever it stands in a shape or a question", async () => {
  const { seen, ui } = open();
  const dialogs: readonly UiDialog[] = [
    { kind: "select", question: SECRET, choices: [SECRET] },
    { kind: "confirm", question: `is it ${SECRET}?` },
  ];
  ui.status("project:a", "x", SECRET);
  ui.render("project:a", { kind: "table", columns: [SECRET], rows: [[SECRET]] });
  ui.render("project:a", { kind: "keyValue", entries: [{ key: "k", value: SECRET }] });
  for (const dialog of dialogs) await ui.ask("project:a", dialog, never);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(JSON.stringify(seen)).toContain("[secret TOKEN]");
});

test("what is typed for a secret is one from then on (twin: another line is not)", async () => {
  const { mask, ui } = open();
  expect(await ui.ask("project:a", { kind: "input", question: "?" }, never)).toBe(TYPED);
  expect(mask.text(TYPED)).toBe(TYPED);
  expect(await ui.ask("project:a", { kind: "input", question: "?", isSecret: true }, never)).toBe(TYPED);
  expect(mask.text(`it is ${TYPED}`)).toBe("it is [secret typed for project:a]");
});
