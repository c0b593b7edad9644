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
      /** What its matcher is compared with. */
      readonly matches: "tool" | "reason" | "agent" | "nothing";
      readonly does: string;
    }
  | { readonly not: string };

const NO_QUESTION = "who may do what is the permissions' to say, and no hook takes part in the question";
const NO_TEAM = "tickets and crews have no events";
const NO_SWITCH = "a switch of the model is no event";

export const HOOK_EVENT_ROWS: Readonly<Record<string, HookEventRow>> = {
  SessionStart: {
    moment: "session:start",
    of: "the session",
    matches: "reason",
    does: "its text is a notice to the model; the reason is always `startup`",
  },
  Setup: { not: "there is no first set-up" },
  InstructionsLoaded: { not: "reading instructions is no event" },
  UserPromptSubmit: {
    moment: "input:submit",
    of: "the session",
    matches: "nothing",
    does: "stops the line, or gives the model a notice with it",
  },
  UserPromptExpansion: { not: "what a command expands to is not shown to hooks" },
  MessageDisplay: {
    moment: "chat:message",
    of: "the session",
    matches: "nothing",
    does: "sees the whole message, and changes nothing",
  },
  PreToolUse: {
    moment: "before a tool",
    of: "anybody",
    matches: "tool",
    does: "refuses a call, or changes its arguments as far as the package's grants reach",
  },
  PermissionRequest: { not: NO_QUESTION },
  PermissionDenied: { not: NO_QUESTION },
  PostToolUse: {
    moment: "after a tool",
    of: "anybody",
    matches: "tool",
    does: "adds to what the model reads of the result",
  },
  PostToolUseFailure: {
    moment: "after a tool",
    of: "anybody",
    matches: "tool",
    does: "adds to what the model reads of the failure, or of a refusal",
  },
  PostToolBatch: { not: "calls end one by one, and their end as a batch is no event" },
  Notification: { not: "what a console shows is no event" },
  SubagentStart: {
    moment: "session:start",
    of: "a delegate",
    matches: "agent",
    does: "sees that a delegate begins",
  },
  SubagentStop: {
    moment: "turn:end",
    of: "a delegate",
    matches: "agent",
    does: "sees that a delegate has ended; if it blocks, the delegate goes on with its reason, as at `Stop`",
  },
  TaskCreated: { not: NO_TEAM },
  TaskCompleted: { not: NO_TEAM },
  TeammateIdle: { not: NO_TEAM },
  Stop: {
    moment: "turn:end",
    of: "the session",
    matches: "nothing",
    does: "sees the end of a turn; if it blocks, the model goes on with its reason, at most 5 times in a row, and from the second time on it is told so (`stop_hook_active`)",
  },
  StopFailure: { not: "a turn that failed ends as any other: see Stop" },
  ConfigChange: { not: "settings are read when a session starts" },
  CwdChanged: { not: "a session stays in its folder" },
  DirectoryAdded: { not: "a session has one folder" },
  FileChanged: { not: "files are not watched" },
  WorktreeCreate: { not: "worktrees of crews are made by the host alone" },
  WorktreeRemove: { not: "worktrees of crews are removed by the host alone" },
  PreCompact: {
    moment: "compact:before",
    of: "the session",
    matches: "reason",
    does: "keeps the transcript as it is; the reason is `manual` or `auto`",
  },
  PostCompact: {
    moment: "compact:build",
    of: "the session",
    matches: "reason",
    does: "sees the summary, and changes nothing",
  },
  PreModelSwitch: { not: NO_SWITCH },
  PostModelSwitch: { not: NO_SWITCH },
  Elicitation: { not: "questions of MCP servers do not reach hooks" },
  ElicitationResult: { not: "questions of MCP servers do not reach hooks" },
  SessionEnd: {
    moment: "session:end",
    of: "the session",
    matches: "reason",
    does: "sees the end; the reason is always `other`",
  },
};
