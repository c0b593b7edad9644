"""Names and numbers of the addon protocol.

Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.
"""

from typing import Literal

#: The version of the protocol that this package speaks.
PROTOCOL_VERSION = 1

#: A notification, to be sent at once for each request that is not answered at once. A request
#: without answer or acknowledgement for 3 s means that the addon is unresponsive.
#: (RequestReference, no answer)
METHOD_ACK = "ack"
#: A notification: nobody waits for this request any more. Answer it with the error code -32800, or
#: with a result; what does neither is killed. (RequestReference, no answer)
METHOD_CANCEL = "cancel"
#: A line for the addon's log file. Needs no grant. (LogParams, Empty)
METHOD_LOG = "log"
#: A line of the addon's report, shown by `indus addons`. Needs no grant. (DiagnosticParams, Empty)
METHOD_DIAGNOSTIC = "diagnostic"
#: A line for the person about a running call. Of a command it is shown; of anything else it needs
#: the grant alert. (ProgressParams, Empty)
METHOD_PROGRESS = "progress"
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
#: One HTTP request, made by the host. Needs the grant network for the host of the address; a
#: redirect to another host is refused. (FetchParams, FetchResult)
METHOD_FETCH = "fetch"
#: The value of a secret. Needs the grant secret with this id. (SecretParams, SecretResult)
METHOD_SECRET = "secret"
#: The work items of this folder. Needs the grant work_items with read. (WorkItemListParams,
#: WorkItemListResult)
METHOD_WORK_ITEM_LIST = "workItemList"
#: What was done to the work items after a step, the oldest first, 200 steps at most; without a
#: step, what the last one did. Needs the grant work_items with read. (WorkItemChangesParams,
#: WorkItemChangesResult)
METHOD_WORK_ITEM_CHANGES = "workItemChanges"
#: Creates a work item and answers its id. Needs the grant work_items with write.
#: (WorkItemCreateParams, WorkItemCreateResult)
METHOD_WORK_ITEM_CREATE = "workItemCreate"
#: Adds a comment to a work item. Needs the grant work_items with write. (WorkItemCommentParams,
#: Empty)
METHOD_WORK_ITEM_COMMENT = "workItemComment"
#: Says how a work item stands. Needs the grant work_items with write. (WorkItemMoveParams, Empty)
METHOD_WORK_ITEM_MOVE = "workItemMove"
#: Makes a work item wait for others; a circle is refused. Needs the grant work_items with write.
#: (WorkItemDependParams, Empty)
METHOD_WORK_ITEM_DEPEND = "workItemDepend"
#: The last 50 entries of what is remembered that hold each of the words; without words, of all.
#: Needs the grant memory with read. (MemorySearchParams, MemorySearchResult)
METHOD_MEMORY_SEARCH = "memorySearch"
#: Remembers one line, under the addon's name; the person is told. Needs the grant memory with
#: write. (MemoryAddParams, Empty)
METHOD_MEMORY_ADD = "memoryAdd"
#: Puts a line in the place of a whole entry, or removes it with the empty text; the person is
#: told. Needs the grant memory with write. (MemoryReplaceParams, Empty)
METHOD_MEMORY_REPLACE = "memoryReplace"
#: Begins a session that works in the background, and answers its id. Needs the grant sessions with
#: spawn. (SessionSpawnParams, SessionSpawnResult)
METHOD_SESSION_SPAWN = "sessionSpawn"
#: The addon's own sessions. Needs the grant sessions with spawn. (Empty, SessionListResult)
METHOD_SESSION_LIST = "sessionList"
#: Waits until a session of the addon has ended, and answers how. Needs the grant sessions with
#: spawn. (SessionReference, SessionWaitResult)
METHOD_SESSION_WAIT = "sessionWait"
#: Stops a session of the addon at its work. Needs the grant sessions with spawn.
#: (SessionReference, Empty)
METHOD_SESSION_STOP = "sessionStop"
#: Words for a session of the addon that is at work: it reads them at its next model call. Needs
#: the grant sessions with message. (SessionWords, Empty)
METHOD_SESSION_MESSAGE = "sessionMessage"
#: A session of the addon that has ended goes on with these words. Needs the grant sessions with
#: restore. (SessionWords, Empty)
METHOD_SESSION_RESTORE = "sessionRestore"
#: Gives the model a message, as a steering line does. Allowed while a command of this addon runs;
#: otherwise needs the grant model_notification. (TextParams, Empty)
METHOD_SEND_MESSAGE = "sendMessage"
#: Switches the model. Allowed while a command of this addon runs. (SetModelParams, Empty)
METHOD_SET_MODEL = "setModel"
#: Sets how hard the model thinks. Allowed while a command of this addon runs. (SetThinkingParams,
#: Empty)
METHOD_SET_THINKING = "setThinking"
#: What the console of this session shows of an addon, as far as its grants reach: nothing where
#: nobody sits at a terminal. Needs no grant. (Empty, UiOffers)
METHOD_UI_OFFERS = "ui/offers"
#: Puts a short text under the addon's name into the status line, in the place of the one with this
#: id before; an empty text takes it away. Needs the grant ui with status. Without a console it is
#: refused as unavailable, as the four below. (StatusParams, Empty)
METHOD_UI_STATUS = "ui/status"
#: Shows a shape to the person, under the addon's name, never to the model. Needs the grant ui with
#: render. (RenderParams, Empty)
METHOD_UI_RENDER = "ui/render"
#: Asks the person, under the addon's name, which of some choices. Needs the grant ui with ask.
#: (SelectParams, SelectResult)
METHOD_UI_SELECT = "ui/select"
#: Asks the person, under the addon's name, yes or no. Needs the grant ui with ask. (ConfirmParams,
#: ConfirmResult)
METHOD_UI_CONFIRM = "ui/confirm"
#: Asks the person, under the addon's name, for a line. Needs the grant ui with ask. (InputParams,
#: InputResult)
METHOD_UI_INPUT = "ui/input"
#: The first request, once: the addon registers and answers what it contributes. Nothing it does
#: while it answers may have an effect, because the answer is cached by content. An error answer
#: may carry the data {"kind": "load"} or {"kind": "register"}: which of the two failed.
#: (DescribeParams, Registration)
METHOD_DESCRIBE = "describe"
#: One handler of the registration is to handle an event. (EventParams, EventResult)
METHOD_EVENT = "event"
#: The first half of an interceptor, before a tool runs. (EnterParams, EnterResult)
METHOD_ENTER = "enter"
#: The second half of an interceptor, after a tool ran. (ExitParams, ExitResult)
METHOD_EXIT = "exit"
#: The model called a tool of this addon; its arguments fit the tool's schema. (ToolParams,
#: ToolResult)
METHOD_TOOL = "tool"
#: The person typed a command of this addon. It ends with the answer. (CommandParams, Empty)
METHOD_COMMAND = "command"
#: A background task is to run. The answer comes when it has ended. (TaskParams, Empty)
METHOD_TASK_START = "task/start"
#: A running background task is to end soon; its task/start is answered when it has. (TaskParams,
#: Empty)
METHOD_TASK_STOP = "task/stop"
#: The last request: the process should answer and end by itself. (Empty, Empty)
METHOD_DISPOSE = "dispose"

#: The line is not JSON.
ERROR_PARSE = -32700
#: It is JSON, but no JSON-RPC 2.0 message.
ERROR_REQUEST = -32600
#: There is no such method.
ERROR_METHOD = -32601
#: The parameters do not fit the method.
ERROR_PARAMS = -32602
#: It was tried and failed; the message says why.
ERROR_FAILED = -32603
#: The grant for it is missing.
ERROR_DENIED = -32001
#: This session, or this moment, does not offer it.
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
