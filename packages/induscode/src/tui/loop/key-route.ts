// Who gets a key: the pager or a choice among folded blocks, an open question, the editor.

import type { Editor, Key } from "../contract.ts";
import type { Asking } from "../questions/asking.ts";
import type { SessionQuestions } from "../questions/session-questions.ts";
import type { Controls } from "./controls.ts";
import type { Tasks } from "./tasks.ts";

interface KeyRouteParts {
  readonly controls: Controls;
  readonly asking: Asking;
  readonly questions: SessionQuestions;
  readonly editor: Editor;
  readonly tasks: Tasks;
}

export function pressKey(key: Key, { controls, asking, questions, editor, tasks }: KeyRouteParts): void {
  controls.clearHint();
  if (controls.take(key)) return;
  const isLeaving =
    (key.ctrl && key.name === "c") || (key.name === "escape" && questions.about() !== undefined);
  const endsTask = isLeaving && asking.isOpen() && tasks.isRunning();
  const isAnswer = asking.press(key);
  if (endsTask) controls.act("cancel"); // the question was not answered, which means no
  if (isAnswer) return;
  for (const event of editor.press(key)) {
    if (event.kind === "submit") {
      if (asking.takeLine(event.submission.text)) continue;
      // What only waits asks for no list; a command runs at once.
      if (!tasks.isBusy() || event.submission.text.startsWith("/")) asking.sent();
      tasks.send(event.submission);
    } else controls.act(event.action);
  }
}
