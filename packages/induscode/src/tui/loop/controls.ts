// Keys that do not edit text: interrupting, leaving, the pager, the next permission mode, the next level of thinking.

import { describeError } from "indusagi/core";
import type { Conductor } from "../../conductor/contract.ts";
import type { ShownConductor } from "../../console/person-commands.ts";
import { printableLine } from "../../console/printable-line.ts";
import type { Editor, Key, ScreenAction } from "../contract.ts";
import type { Bindings } from "../keys/bindings.ts";
import { keyOf } from "../keys/list-keys.ts";
import type { Asking } from "../questions/asking.ts";
import type { TerminalModes } from "../screen/modes.ts";
import { openPager, type Pager, type PagerOptions } from "../screen/pager.ts";
import type { Stage } from "../screen/stage.ts";
import { editableOf, textOf } from "../transcript/replay.ts";
import type { Transcript } from "../transcript/transcript.ts";

interface ControlledSession {
  readonly conductor: ShownConductor;
  /** Leaving stops no task. */
  readonly goesOn?: boolean | undefined;
  /** Switches the permission mode. Returns what to tell the person. */
  readonly nextMode?: () => string | Promise<string>;
}

interface ControlParts {
  readonly stage: Stage;
  readonly modes: TerminalModes;
  readonly editor: Editor;
  readonly bindings: Bindings;
  readonly asking: Asking;
  readonly folds: Pick<Transcript, "toggleFold" | "chooseFold">;
  /** The full content for the pager. */
  readonly pages: PagerOptions["rows"];
  readonly input: Pick<NodeJS.ReadableStream, "pause" | "resume">;
  readonly editElsewhere: (text: string) => Promise<string>;
  /** In the order in which a key cycles through them. */
  readonly thinkingLevels: readonly Parameters<Conductor["setThinking"]>[0][];
  /** Absent before there is a session. */
  readonly session: () => ControlledSession | undefined;
  readonly isBusy: () => boolean;
  readonly isClosed: () => boolean;
  readonly leave: () => void;
  readonly showTree: () => void;
  readonly showCommands: () => void;
  readonly now: () => number;
}

export interface Controls {
  readonly act: (action: ScreenAction) => void;
  /** Gives the key to the pager, or to the chosen foldable item; false if there is neither. */
  readonly take: (key: Key) => boolean;
  readonly isPaging: () => boolean;
  readonly redrawPager: () => void;
  readonly closePager: () => void;
  /** The result of the last key, shown in place of the status line until the next key. */
  readonly hint: () => string | undefined;
  /** Shows a hint that comes later than its key. */
  readonly tell: (text: string) => void;
  readonly clearHint: () => void;
}

/** How long a second press can take. */
const LEAVE_WINDOW_MS = 2000;
const ANSWER_FIRST = "answer the question first; then switch the mode";
const KEPT_THERE = "the server has the waiting lines: none can be taken back here";
const FOLD_HINT = "↑↓ choose  Enter folds, unfolds  Esc ends";

export function createControls(parts: ControlParts): Controls {
  const { stage, editor, asking } = parts;
  const { look, table } = parts.bindings;
  let hint: string | undefined;
  let pager: Pager | undefined;
  let isChoosing = false;
  /** The last key and its time if pressing it again does more; `before` is this value from before the current key. */
  let once: { readonly action: "cancel" | "interrupt"; readonly ms: number } | undefined;
  let before: typeof once;

  /** After another key or a pause, a press counts as the first one again. */
  function isSecond(action: "cancel" | "interrupt"): boolean {
    const isAgain = before?.action === action && parts.now() - before.ms < LEAVE_WINDOW_MS;
    once = isAgain ? undefined : { action, ms: parts.now() };
    return isAgain;
  }

  const tell = (text: string): void => {
    hint = text;
  };

  function interrupt(): void {
    parts.session()?.conductor.abort();
    takeBack();
  }

  function cancel(): void {
    if (parts.isBusy()) {
      interrupt();
      return;
    }
    if (!editor.isEmpty()) editor.put("");
    else if (isSecond("cancel")) parts.leave();
    else hint = `press ${keyOf(table, "cancel")} again to quit`;
  }

  /** Takes two presses, with nothing to interrupt and nothing written. */
  function goBack(): void {
    if (isSecond("interrupt")) parts.showTree();
    else hint = `press ${keyOf(table, "interrupt")} again to go back to an earlier turn`;
  }

  /** Moves the waiting lines back into the editor. */
  function takeBack(): void {
    const conductor = parts.session()?.conductor;
    const lines = editableOf(conductor?.waiting() ?? []);
    if (lines.length === 0) return;
    conductor?.takeBack(lines);
    const waiting = lines.map(textOf).join("\n");
    editor.put(editor.isEmpty() ? waiting : `${waiting}\n${editor.text()}`);
  }

  async function editElsewhere(): Promise<void> {
    const before = editor.text();
    parts.input.pause();
    try {
      const text = await parts.modes.lend(() => parts.editElsewhere(before));
      editor.put(text);
    } catch (error) {
      hint = printableLine(describeError(error));
    } finally {
      if (!parts.isClosed()) parts.input.resume();
    }
    if (!parts.isClosed()) stage.draw();
  }

  function closePager(): void {
    if (!pager) return;
    pager.close();
    pager = undefined;
    asking.appear();
    stage.resume();
  }

  /** Only what is visible: rows that have scrolled away stay unchanged. */
  function fold(): void {
    isChoosing = parts.folds.toggleFold(stage.seen());
    const pager = keyOf(table, "pager");
    const none = `nothing here is folded${pager === undefined ? "" : `; ${pager} pages through everything`}`;
    hint = isChoosing ? FOLD_HINT : none;
    if (isChoosing) stage.repaint();
  }

  function choose(key: Key): boolean {
    const by = key.name === "up" ? -1 : key.name === "down" ? 1 : undefined;
    const isFold = key.name === "enter" || doesFold(key, look);
    isChoosing = (by !== undefined || isFold) && !asking.isOpen();
    if (isChoosing && isFold) fold();
    else {
      if (isChoosing) hint = FOLD_HINT;
      if (parts.folds.chooseFold(stage.seen(), isChoosing ? by : undefined)) stage.repaint();
    }
    return isChoosing || (key.name === "escape" && !asking.isOpen());
  }

  function act(action: ScreenAction): void {
    switch (action) {
      case "interrupt":
        if (asking.isReading()) asking.takeLine("");
        else if (parts.isBusy()) interrupt();
        else if (editor.isEmpty()) goBack();
        break;
      case "cancel":
        cancel();
        break;
      case "leave":
        if (parts.isBusy() && !parts.session()?.goesOn)
          hint = `${keyOf(table, "interrupt") ?? keyOf(table, "cancel")} interrupts the task; then you can quit`;
        else parts.leave();
        break;
      case "suspend":
        parts.modes.suspend();
        break;
      case "redraw":
        stage.redraw();
        break;
      case "fold":
        fold();
        break;
      case "pager":
        stage.pause();
        pager = openPager({
          rows: parts.pages,
          size: () => ({ columns: stage.columns(), rows: stage.rows() }),
          write: stage.send,
        });
        break;
      case "commands":
        parts.showCommands();
        break;
      case "queue":
        takeBack();
        if (parts.session()?.goesOn) hint = KEPT_THERE;
        break;
      case "mode":
        hint = nextMode(parts, tell);
        break;
      case "thinking":
        hint = nextThinking(parts);
        break;
      case "externalEditor":
        void editElsewhere();
        break;
    }
  }

  return {
    act,
    take: (key) => {
      if (!pager) return isChoosing && choose(key);
      if (pager.press(key)) closePager();
      return true;
    },
    isPaging: () => pager !== undefined,
    redrawPager: () => pager?.redraw(),
    closePager,
    hint: () => hint,
    tell,
    clearHint: () => {
      hint = undefined;
      before = once;
      once = undefined;
    },
  };
}

function doesFold(key: Key, look: Bindings["look"]): boolean {
  const found = look(key, "");
  return found !== undefined && "action" in found && found.action === "fold";
}

/** `tell` hears what a session in another process says later. */
function nextMode(
  { asking, session, stage }: ControlParts,
  tell: (text: string) => void,
): string | undefined {
  // An open question is about the mode in which it was asked.
  if (asking.isOpen()) return ANSWER_FIRST;
  const said = session()?.nextMode?.();
  if (!(said instanceof Promise)) return said;
  void said.then(tell).then(stage.draw);
  return undefined;
}

function nextThinking({ session, thinkingLevels: levels }: ControlParts): string | undefined {
  const conductor = session()?.conductor;
  if (!conductor) return undefined;
  const at = levels.indexOf(conductor.status().params.thinking ?? "off");
  const next = levels[(at + 1) % levels.length] ?? "off";
  conductor.setThinking(next);
  return `thinking is now ${next}`;
}
