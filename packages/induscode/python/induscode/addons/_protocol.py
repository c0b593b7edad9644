"""Names and numbers of the addon protocol.

Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.
"""

from typing import Literal

#: The version of the protocol that this package speaks.
PROTOCOL_VERSION = 1

#: A notification, to be sent immediately for each request that is not answered immediately. An
#: addon that neither answers nor acknowledges a request for 3 s counts as unresponsive.
#: (RequestReference, no answer)
METHOD_ACK = "ack"
#: A notification: the host no longer waits for this request. Answer it with the error code -32800,
#: or with a result; an addon that does neither is killed. (RequestReference, no answer)
METHOD_CANCEL = "cancel"
#: A line for the addon's log file. Needs no grant. (LogParams, Empty)
METHOD_LOG = "log"
#: A line of the addon's report: shown to the person, kept in the addon's log; `/addons` and `indus
#: addons` show the last ones. Needs no grant. (DiagnosticParams, Empty)
METHOD_DIAGNOSTIC = "diagnostic"
#: A line for the person about a running call. Shown for a command, and for a tool in the row of
#: its call, where the last one counts; for anything else it needs the grant alert.
#: (ProgressParams, Empty)
METHOD_PROGRESS = "progress"
#: Only of an MCP server: its tools or prompts have changed. The parameters are what it contributes
#: from now on, in place of its answer to describe; the model sees that in its next request. At
#: most 20 changes of a session are followed. (Registration, Empty)
METHOD_REGISTERED = "registered"
#: A short line for the person, never for the model. Needs the grant alert. (TextParams, Empty)
METHOD_ALERT = "alert"
#: A notice that the model reads at its next call, labelled with its origin. Needs the grant
#: model_notification. (TextParams, Empty)
METHOD_NOTIFY = "notify"
#: Runs a shell line through the same gate as the tool bash. Needs the grant files with execute.
#: (ExecParams, ExecOutcome)
METHOD_EXEC = "exec"
#: Reads a text file of the workspace. Needs the grant files with read. (ReadFileParams,
#: TextParams)
METHOD_READ_FILE = "readFile"
#: Writes a text file of the workspace, whole or not at all. Needs the grant files with write.
#: (WriteFileParams, Empty)
METHOD_WRITE_FILE = "writeFile"
#: One HTTP request, made by the host. Needs the grant network for the host of the URL; a redirect
#: to another host is refused. (FetchParams, FetchResult)
METHOD_FETCH = "fetch"
#: The session's model answers these texts, and sees nothing else; the person pays, and the
#: session's log has it. During a call only: at most 10 answers a call and 50 a session. Needs the
#: grant sampling. (SampleParams, SampleResult)
METHOD_SAMPLE = "sample"
#: The value of a secret. Needs the grant secret with this id. (SecretParams, SecretResult)
METHOD_SECRET = "secret"
#: The work items of this folder. Needs the grant work_items with read. (WorkItemListParams,
#: WorkItemListResult)
METHOD_WORK_ITEM_LIST = "workItemList"
#: What was done to the work items after a step, oldest first, at most 200 steps; without a step,
#: what the last one did. Needs the grant work_items with read. (WorkItemChangesParams,
#: WorkItemChangesResult)
METHOD_WORK_ITEM_CHANGES = "workItemChanges"
#: Creates a work item and returns its id. Needs the grant work_items with write.
#: (WorkItemCreateParams, WorkItemCreateResult)
METHOD_WORK_ITEM_CREATE = "workItemCreate"
#: Adds a comment to a work item. Needs the grant work_items with write. (WorkItemCommentParams,
#: Empty)
METHOD_WORK_ITEM_COMMENT = "workItemComment"
#: Sets the status of a work item. Needs the grant work_items with write. (WorkItemMoveParams,
#: Empty)
METHOD_WORK_ITEM_MOVE = "workItemMove"
#: Makes a work item depend on others; a cycle is refused. Needs the grant work_items with write.
#: (WorkItemDependParams, Empty)
METHOD_WORK_ITEM_DEPEND = "workItemDepend"
#: The last 50 entries of the memory that contain each of the words; without words, the last 50 of
#: all. Needs the grant memory with read. (MemorySearchParams, MemorySearchResult)
METHOD_MEMORY_SEARCH = "memorySearch"
#: Remembers one line, under the addon's name; the person is notified. Needs the grant memory with
#: write. (MemoryAddParams, Empty)
METHOD_MEMORY_ADD = "memoryAdd"
#: Replaces a whole entry with a line, or removes it if the text is empty; the person is notified.
#: Needs the grant memory with write. (MemoryReplaceParams, Empty)
METHOD_MEMORY_REPLACE = "memoryReplace"
#: Starts a session that works in the background, and returns its id. Needs the grant sessions with
#: spawn. (SessionSpawnParams, SessionSpawnResult)
METHOD_SESSION_SPAWN = "sessionSpawn"
#: The addon's own sessions. Needs the grant sessions with spawn. (Empty, SessionListResult)
METHOD_SESSION_LIST = "sessionList"
#: Waits until a session of the addon has ended, and returns how. Needs the grant sessions with
#: spawn. (SessionReference, SessionWaitResult)
METHOD_SESSION_WAIT = "sessionWait"
#: Stops a running session of the addon. Needs the grant sessions with spawn. (SessionReference,
#: Empty)
METHOD_SESSION_STOP = "sessionStop"
#: Sends a message to a running session of the addon, which reads it at its next model call. Needs
#: the grant sessions with message. (SessionWords, Empty)
METHOD_SESSION_MESSAGE = "sessionMessage"
#: Continues an ended session of the addon with this message. Needs the grant sessions with
#: restore. (SessionWords, Empty)
METHOD_SESSION_RESTORE = "sessionRestore"
#: Sends the model a message, as a steering line does. Allowed while a command of this addon runs;
#: otherwise needs the grant model_notification. (TextParams, Empty)
METHOD_SEND_MESSAGE = "sendMessage"
#: Switches the model. Allowed while a command of this addon runs. (SetModelParams, Empty)
METHOD_SET_MODEL = "setModel"
#: Sets how hard the model thinks. Allowed while a command of this addon runs. (SetThinkingParams,
#: Empty)
METHOD_SET_THINKING = "setThinking"
#: What the console of this session can show for an addon, within its grants: nothing if there is
#: no terminal. Needs no grant. (Empty, UiOffers)
METHOD_UI_OFFERS = "ui/offers"
#: Shows a short text under the addon's name in the status line, replacing the previous one with
#: this id; an empty text removes it. Needs the grant ui with status. Without a console it is
#: refused as unavailable, like the four below. (StatusParams, Empty)
METHOD_UI_STATUS = "ui/status"
#: Shows a shape to the person, under the addon's name, never to the model. Needs the grant ui with
#: render. (RenderParams, Empty)
METHOD_UI_RENDER = "ui/render"
#: Asks the person, under the addon's name, to pick one of the choices. Needs the grant ui with
#: ask. (SelectParams, SelectResult)
METHOD_UI_SELECT = "ui/select"
#: Asks the person, under the addon's name, a yes-or-no question. Needs the grant ui with ask.
#: (ConfirmParams, ConfirmResult)
METHOD_UI_CONFIRM = "ui/confirm"
#: Asks the person, under the addon's name, for a line. Needs the grant ui with ask. (InputParams,
#: InputResult)
METHOD_UI_INPUT = "ui/input"
#: The first request, sent once: the addon registers and returns what it contributes. Nothing it
#: does meanwhile may have a side effect, because the answer is cached by content. An error answer
#: may carry the data {"kind": "load"} or {"kind": "register"}: which of the two failed.
#: (DescribeParams, Registration)
METHOD_DESCRIBE = "describe"
#: Runs one handler of the registration for an event. (EventParams, EventResult)
METHOD_EVENT = "event"
#: The first half of an interceptor, before a tool runs. (EnterParams, EnterResult)
METHOD_ENTER = "enter"
#: The second half of an interceptor, after a tool ran. (ExitParams, ExitResult)
METHOD_EXIT = "exit"
#: The model called a tool of this addon; its arguments match the tool's schema. (ToolParams,
#: ToolResult)
METHOD_TOOL = "tool"
#: The person typed a command of this addon. The command ends with the answer. (CommandParams,
#: Empty)
METHOD_COMMAND = "command"
#: Starts a background task. Answered when the task has ended. (TaskParams, Empty)
METHOD_TASK_START = "task/start"
#: Asks a running background task to end soon; its task/start is answered when it has. (TaskParams,
#: Empty)
METHOD_TASK_STOP = "task/stop"
#: The last request: the process should answer and exit on its own. (Empty, Empty)
METHOD_DISPOSE = "dispose"

#: The line is not JSON.
ERROR_PARSE = -32700
#: It is JSON, but not a JSON-RPC 2.0 message.
ERROR_REQUEST = -32600
#: The method does not exist.
ERROR_METHOD = -32601
#: The parameters do not match the method.
ERROR_PARAMS = -32602
#: It was attempted and failed; the message says why.
ERROR_FAILED = -32603
#: The grant for it is missing.
ERROR_DENIED = -32001
#: It is not available in this session, or at this moment.
ERROR_UNAVAILABLE = -32002
#: Too many, too much or too fast.
ERROR_LIMIT = -32003
#: The request was cancelled.
ERROR_CANCELLED = -32800

#: The events by their wire names; True where a gate's stop is acted on.
EVENTS = {
    "session:start": False,
    "session:end": False,
    "turn:start": False,
    "turn:end": False,
    "tool:before": True,
    "tool:after": False,
    "chat:params": False,
    "chat:message": False,
    "shell:env": False,
    "input:submit": True,
    "context:build": False,
    "compact:build": False,
    "compact:before": True,
}

HookEvent = Literal[
    "session:start",
    "session:end",
    "turn:start",
    "turn:end",
    "tool:before",
    "tool:after",
    "chat:params",
    "chat:message",
    "shell:env",
    "input:submit",
    "context:build",
    "compact:build",
    "compact:before",
]
"""The wire names, `scope:phase`."""
