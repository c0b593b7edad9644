// The events of the best-known agent's hooks, each with what stands for it here, or why nothing does. docs/guide/hooks.md shows this table, and
// a test holds the two together.

/** What a hook hangs on. */
export type HookMoment =
  | "session:start"
  | "session:end"
  | "turn:end"
  | "input:submit"
  | "before a tool"
  | "after a tool"
  | "compact:before"
  | "compact:build"
  | "chat:message";

/** An event there: the moment here, whom it is about, and what a hook can do at it; or why it is not used. */
export type HookEventRow =
  | {
      readonly moment: HookMoment;
      readonly of: "anybody" | "the session" | "a delegate";
      /** What its matcher is compared with; a list: one of these words. */
      readonly matches: "tool" | "agent" | "nothing" | readonly string[];
      readonly does: string;
      /** It goes on whatever a hook answers; the person is told what one that blocks it says. */
      readonly goesOn?: true;
    }
  | { readonly not: string };

const NO_QUESTION = "permissions decide what is allowed, and hooks cannot take part in a question";
const NO_TEAM = "tickets and crews have no events";
const NO_SWITCH = "switching the model is not an event";

export const HOOK_EVENT_ROWS: Readonly<Record<string, HookEventRow>> = {
  SessionStart: {
    moment: "session:start",
    of: "the session",
    matches: ["startup"],
    does: "its text is a notice for the model; the reason is always `startup`",
    goesOn: true,
  },
  Setup: { not: "`indus` has no first set-up" },
  InstructionsLoaded: { not: "reading instructions is not an event" },
  UserPromptSubmit: {
    moment: "input:submit",
    of: "the session",
    matches: "nothing",
    does: "stops the line, or adds a notice for the model",
  },
  UserPromptExpansion: { not: "hooks are not shown the text that a command expands to" },
  MessageDisplay: {
    moment: "chat:message",
    of: "the session",
    matches: "nothing",
    does: "sees the complete message, and changes nothing",
    goesOn: true,
  },
  PreToolUse: {
    moment: "before a tool",
    of: "anybody",
    matches: "tool",
    does: "refuses a call, or changes its arguments as far as the package's grants allow",
  },
  PermissionRequest: { not: NO_QUESTION },
  PermissionDenied: { not: NO_QUESTION },
  PostToolUse: {
    moment: "after a tool",
    of: "anybody",
    matches: "tool",
    does: "adds text to the result that the model reads",
  },
  PostToolUseFailure: {
    moment: "after a tool",
    of: "anybody",
    matches: "tool",
    does: "adds text to the failure or refusal that the model reads",
  },
  PostToolBatch: { not: "calls end one by one, and the end of a batch is not an event" },
  Notification: { not: "a console's notifications are not events" },
  SubagentStart: {
    moment: "session:start",
    of: "a delegate",
    matches: "agent",
    does: "sees that a delegate starts",
    goesOn: true,
  },
  SubagentStop: {
    moment: "turn:end",
    of: "a delegate",
    matches: "agent",
    does: "sees that a delegate has ended; if it blocks, the delegate continues with the hook's reason, as at `Stop`",
  },
  TaskCreated: { not: NO_TEAM },
  TaskCompleted: { not: NO_TEAM },
  TeammateIdle: { not: NO_TEAM },
  Stop: {
    moment: "turn:end",
    of: "the session",
    matches: "nothing",
    does: "sees the end of a turn; if it blocks, the model continues with the hook's reason, at most 5 times in a row; from the second time on, the hook is told so (`stop_hook_active`)",
  },
  StopFailure: { not: "a failed turn ends like any other: see Stop" },
  ConfigChange: { not: "settings are read when a session starts" },
  CwdChanged: { not: "a session does not change its folder" },
  DirectoryAdded: { not: "a session has only one folder" },
  FileChanged: { not: "files are not watched" },
  WorktreeCreate: { not: "only the host creates worktrees for crews" },
  WorktreeRemove: { not: "only the host removes crews' worktrees" },
  PreCompact: {
    moment: "compact:before",
    of: "the session",
    matches: ["manual", "auto"],
    does: "prevents the compaction if it blocks; the reason is `manual` or `auto`",
  },
  PostCompact: {
    moment: "compact:build",
    of: "the session",
    matches: ["manual", "auto"],
    does: "sees the summary, and changes nothing",
    goesOn: true,
  },
  PreModelSwitch: { not: NO_SWITCH },
  PostModelSwitch: { not: NO_SWITCH },
  Elicitation: { not: "hooks do not receive MCP servers' questions" },
  ElicitationResult: { not: "hooks do not receive MCP servers' questions" },
  SessionEnd: {
    moment: "session:end",
    of: "the session",
    matches: ["other"],
    does: "sees the end; the reason is always `other`",
    goesOn: true,
  },
};
