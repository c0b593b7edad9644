"""Types of the addon protocol's messages.

Generated from addon-protocol.schema.json by `npm run protocol`: do not edit.
"""

from typing import Any, Dict, List, Literal, TypedDict, Union


#: An object without required fields.
Empty = Dict[str, Any]


#: Any JSON value.
Json = Any


class RequestReference(TypedDict):
    id: "RequestId"


#: The id of a JSON-RPC request.
RequestId = Union[int, str]


#: The wire name of an event.
Event = Literal[
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


#: What an addon may request. The further keys of each kind are in docs/guide/addons.md.
Capability = Dict[str, Any]


class CapabilityRequest(TypedDict):
    capability: "Capability"
    required: bool
    #: At most 4096 characters.
    reason: str


class _SampleParams(TypedDict):
    """What every SampleParams has."""
    #: At least 1 item. At most 100 items.
    messages: List["SampleMessage"]
    #: At most 4,096 are used.
    maxTokens: int


class SampleParams(_SampleParams, total=False):
    #: At most 65536 characters.
    system: str
    temperature: float


class SampleMessage(TypedDict):
    role: Literal["user", "assistant"]
    #: At most 262144 characters.
    text: str


class SampleResult(TypedDict):
    text: str
    model: str
    #: The answer ended at its limit of tokens.
    isCut: bool


class DescribeParams(TypedDict):
    protocol: "ProtocolRange"
    #: The id derived from the addon's path.
    id: str
    #: The workspace, absolute.
    cwd: str
    grants: List["Capability"]


class ProtocolRange(TypedDict):
    """The versions that the host speaks. An addon that supports none of them answers with the
    error code of `params`."""
    min: int
    max: int


class _Registration(TypedDict):
    """What every Registration has."""
    #: The version that the addon speaks.
    protocol: int


class Registration(_Registration, total=False):
    """What an addon contributes. Handlers and interceptors are referred to by their index in
    these lists, from 0. A card that does not fit costs that one alone, and its index stays its
    own."""
    #: At most 100 characters.
    id: str
    #: At most 100 characters.
    version: str
    #: For the whole addon: with "block" what it guards stays closed while it fails or is in
    #: quarantine. That covers its gates, whatever each of them specifies, its transforms of
    #: tool:before, input:submit and compact:before, and its interceptors.
    onFailure: Literal["allow", "block"]
    #: At most 200 items.
    handlers: List["HandlerCard"]
    #: At most 200 items.
    interceptors: List["InterceptorCard"]
    #: At most 200 items.
    commands: List["CommandCard"]
    #: At most 200 items.
    tools: List["ToolCard"]
    #: At most 200 items.
    tasks: List["TaskCard"]
    #: What it requests. Only what its manifest also requests can be granted; the rest is reported.
    #: At most 200 items.
    capabilities: List["CapabilityRequest"]
    #: For an MCP server's addon: what the server says about using it. The host puts its beginning
    #: into the prompt, with the server's name. At most 16384 characters.
    instructions: str
    #: What it would contribute if it could be recorded and sent: the host reports it. At most 200
    #: items.
    skipped: List["SkippedCard"]


class SkippedCard(TypedDict):
    kind: Literal["tool", "command", "hook", "task"]
    #: A task's id, an event, or intercept: and a tool's name. At most 200 characters.
    name: str
    #: At most 4096 characters.
    reason: str


class _HandlerCard(TypedDict):
    """What every HandlerCard has."""
    event: "Event"
    kind: Literal["observe", "transform", "gate"]


class HandlerCard(_HandlerCard, total=False):
    #: What the gate does when it fails; "allow" unless the settings specify otherwise.
    onFailure: Literal["allow", "block"]


class InterceptorCard(TypedDict):
    #: A tool's name, or *. At most 64 characters.
    match: str
    enter: bool
    exit: bool


class _CommandCard(TypedDict):
    """What every CommandCard has."""
    #: At most 64 characters.
    name: str
    #: At most 4096 characters.
    summary: str


class CommandCard(_CommandCard, total=False):
    #: At most 200 characters.
    argumentHint: str


class _ToolCard(TypedDict):
    """What every ToolCard has."""
    #: At most 64 characters.
    name: str
    #: At most 16384 characters.
    description: str
    #: A JSON Schema of an object.
    parameters: Dict[str, Any]


class ToolCard(_ToolCard, total=False):
    #: For an MCP server's addon: it lists or reads the server's resources, and the model reaches
    #: it through one pair of tools for all servers.
    resources: Literal["list", "read"]
    #: Without one of them this tool is not installed; the rest of the addon is. At most 20 items.
    requiredCapabilities: List["Capability"]


class _TaskCard(TypedDict):
    """What every TaskCard has."""
    #: At most 64 characters.
    id: str
    #: At most 4096 characters.
    description: str


class TaskCard(_TaskCard, total=False):
    #: "session" (the default): runs from the session's start. "onDemand": when the person asks.
    activation: Literal["session", "onDemand"]
    #: "never" is the default.
    restart: Literal["never", "onFailure"]
    #: How long it may take to end, in milliseconds; default 1000. The host waits at most 5000.
    #: From 0 to 60000.
    graceMs: int
    #: Without one of them this task is not installed; the rest of the addon is. At most 20 items.
    requiredCapabilities: List["Capability"]


class EventParams(TypedDict):
    #: Its index in the registration's handlers.
    handler: int
    event: "Event"
    #: What the event carries, see docs/reference/events.md.
    payload: Dict[str, Any]


class EventResult(TypedDict, total=False):
    """From an observer nothing; from a transform the payload, or the keys that it changes; from
    a gate whether it stops. Nothing and null mean no change."""
    payload: Dict[str, Any]
    stop: bool
    reason: str


class EnterParams(TypedDict):
    interceptor: int
    tool: str
    callId: str
    args: "Json"


class EnterResult(TypedDict, total=False):
    """Nothing or null for no change, `args` to replace the arguments, or `stop` to block the
    call."""
    args: "Json"
    stop: bool
    reason: str


class _ExitParams(TypedDict):
    """What every ExitParams has."""
    interceptor: int
    tool: str
    callId: str
    args: "Json"
    result: "ToolResult"


class ExitParams(_ExitParams, total=False):
    #: What went wrong, if the result is an error.
    error: str


class ExitResult(TypedDict, total=False):
    """Nothing or null for no change, or the result that replaces the tool's."""
    result: "ToolResult"


class ToolParams(TypedDict):
    name: str
    callId: str
    args: "Json"
    cwd: str


class _ToolResult(TypedDict):
    """What every ToolResult has."""
    #: A string is short for one text block. At most 1000 items.
    content: Union[List["ContentBlock"], str]


class ToolResult(_ToolResult, total=False):
    #: The call failed, and the content says why. Unlike an error as the answer it is no fault of
    #: the addon. Default: false.
    isError: bool


class ContentBlock(TypedDict, total=False):
    """A text, a JSON value, or, in a tool's own answer, a picture."""
    kind: Literal["text", "json", "image"]
    #: The same as `kind`, which takes precedence.
    type: Literal["text", "json", "image"]
    #: For the kind image: its bytes in base64. They say of which type it is.
    data: str
    #: For the kind text.
    text: str
    #: For the kind json.
    value: "Json"


class CommandParams(TypedDict):
    #: Without the slash.
    name: str
    #: The text after the name.
    args: str
    cwd: str


class TaskParams(TypedDict):
    id: str


class LogParams(TypedDict):
    text: str


class DiagnosticParams(TypedDict):
    severity: Literal["info", "warning", "error"]
    text: str


class ProgressParams(TypedDict):
    #: The request that it is for.
    id: "RequestId"
    text: str


class TextParams(TypedDict):
    text: str


class _ExecParams(TypedDict):
    """What every ExecParams has."""
    #: A shell command line.
    command: str


class ExecParams(_ExecParams, total=False):
    #: Passed to it quoted, never as part of the line.
    args: List[str]


class ExecOutcome(TypedDict):
    stdout: str
    stderr: str
    #: null if a signal killed it.
    code: Union[int, None]


class ReadFileParams(TypedDict):
    #: Absolute, or relative to the workspace.
    path: str


class WriteFileParams(TypedDict):
    path: str
    text: str


class _FetchParams(TypedDict):
    """What every FetchParams has."""
    url: str


class FetchParams(_FetchParams, total=False):
    method: Literal["GET", "POST"]
    headers: Dict[str, str]
    body: str


class FetchResult(TypedDict):
    status: int
    headers: Dict[str, str]
    text: str


WorkItemStatus = Literal["open", "blocked", "done", "failed"]


WorkItemPriority = Literal["low", "normal", "high"]


WorkItemIds = List[str]


class WorkItemComment(TypedDict):
    by: str
    #: ISO 8601.
    at: str
    text: str


class _WorkItem(TypedDict):
    """What every WorkItem has."""
    id: str
    title: str
    brief: str
    priority: "WorkItemPriority"
    #: Ids of those that must be done first.
    deps: List[str]
    status: "WorkItemStatus"
    comments: List["WorkItemComment"]
    postedBy: str
    #: ISO 8601.
    postedAt: str


class WorkItem(_WorkItem, total=False):
    #: Its result, or why it failed or is blocked.
    summary: str


class WorkItemChange(TypedDict):
    #: Later steps are larger.
    step: int
    #: ISO 8601.
    at: str
    #: A feature, or a session.
    by: str
    id: str
    what: Literal[
    "created",
    "commented",
    "depends",
    "open",
    "blocked",
    "done",
    "failed",
]


class WorkItemListParams(TypedDict, total=False):
    status: "WorkItemStatus"


class WorkItemListResult(TypedDict):
    items: List["WorkItem"]


class WorkItemChangesParams(TypedDict, total=False):
    after: int


class WorkItemChangesResult(TypedDict):
    changes: List["WorkItemChange"]


class _WorkItemCreateParams(TypedDict):
    """What every WorkItemCreateParams has."""
    #: At most 200 characters.
    title: str


class WorkItemCreateParams(_WorkItemCreateParams, total=False):
    #: At most 65536 characters.
    brief: str
    priority: "WorkItemPriority"
    deps: "WorkItemIds"


class WorkItemCreateResult(TypedDict):
    id: str


class WorkItemCommentParams(TypedDict):
    #: At most 100 characters.
    id: str
    #: At most 65536 characters.
    text: str


class _WorkItemMoveParams(TypedDict):
    """What every WorkItemMoveParams has."""
    #: At most 100 characters.
    id: str
    to: "WorkItemStatus"


class WorkItemMoveParams(_WorkItemMoveParams, total=False):
    #: At most 65536 characters.
    reason: str


class WorkItemDependParams(TypedDict):
    #: At most 100 characters.
    id: str
    on: "WorkItemIds"


#: This folder's, or the person's.
MemoryScope = Literal["project", "user"]


class MemoryEntry(TypedDict):
    scope: "MemoryScope"
    text: str


class MemorySearchParams(TypedDict, total=False):
    #: At most 500 characters.
    words: str
    scope: "MemoryScope"


class MemorySearchResult(TypedDict):
    entries: List["MemoryEntry"]


class _MemoryAddParams(TypedDict):
    """What every MemoryAddParams has."""
    #: At most 500 characters.
    text: str


class MemoryAddParams(_MemoryAddParams, total=False):
    scope: "MemoryScope"


class _MemoryReplaceParams(TypedDict):
    """What every MemoryReplaceParams has."""
    #: At most 1000 characters.
    old: str
    #: At most 500 characters.
    text: str


class MemoryReplaceParams(_MemoryReplaceParams, total=False):
    scope: "MemoryScope"


class _SessionSpawnParams(TypedDict):
    """What every SessionSpawnParams has."""
    #: Who works in it: a delegate of the session that only reads. At most 100 characters.
    agent: str
    #: At most 65536 characters.
    objective: str


class SessionSpawnParams(_SessionSpawnParams, total=False):
    #: What else it needs to know. At most 65536 characters.
    context: str
    limits: "SessionLimits"
    #: It continues when the addon is removed, until the session that it works for ends.
    outlives: bool


class SessionLimits(TypedDict, total=False):
    """What it may use for each message that it is given."""
    #: Model calls.
    turns: int
    #: Everything that its models read and write.
    tokens: int
    dollars: float
    #: From 1 to 86400.
    seconds: int


class SessionSpawnResult(TypedDict):
    id: str


class SessionReference(TypedDict):
    #: At most 100 characters.
    id: str


class SessionWords(TypedDict):
    #: At most 100 characters.
    id: str
    #: At most 65536 characters.
    text: str


class SpawnedSession(TypedDict):
    id: str
    agent: str
    state: Literal["working", "done", "failed", "stopped"]
    #: Model calls.
    turns: int
    tokens: int
    #: Dollars, as far as prices are known.
    cost: float
    #: What it said last; once it has ended, its report.
    said: str


class SessionListResult(TypedDict):
    sessions: List["SpawnedSession"]


class SessionWaitResult(TypedDict):
    session: "SpawnedSession"


class SecretParams(TypedDict):
    id: str


class SecretResult(TypedDict):
    value: str


class SetModelParams(TypedDict):
    name: str


class SetThinkingParams(TypedDict):
    level: str


class UiOffers(TypedDict):
    """Each part is false if its grant is missing, or if there is no console."""
    status: bool
    render: bool
    ask: bool


class _StatusParams(TypedDict):
    """What every StatusParams has."""
    #: At most 200 characters.
    text: str


class StatusParams(_StatusParams, total=False):
    #: Which of the addon's items, of which there are at most three. At most 64 characters.
    id: str


class RenderParams(TypedDict):
    shape: "UiShape"


#: What can be shown. The host determines how it looks: every text is plain, and control characters
#: are spelled out. One shape has at most 32 KiB as JSON.
UiShape = Union["TextShape", "MarkdownShape", "TableShape", "ListShape", "ProgressShape", "KeyValueShape"]


class _TextShape(TypedDict):
    """What every TextShape has."""
    kind: Literal["text"]
    #: At most 16384 characters.
    text: str


class TextShape(_TextShape, total=False):
    #: At most 100 characters.
    title: str


class _MarkdownShape(TypedDict):
    """What every MarkdownShape has."""
    kind: Literal["markdown"]
    #: At most 16384 characters.
    text: str


class MarkdownShape(_MarkdownShape, total=False):
    #: At most 100 characters.
    title: str


class _TableShape(TypedDict):
    """What every TableShape has."""
    kind: Literal["table"]
    #: At least 1 item. At most 12 items.
    columns: List[str]
    #: Each has a text per column; missing ones are empty. At most 100 items.
    rows: List[List[str]]


class TableShape(_TableShape, total=False):
    #: At most 100 characters.
    title: str


class _ListShape(TypedDict):
    """What every ListShape has."""
    kind: Literal["list"]
    #: At most 100 items.
    items: List[str]


class ListShape(_ListShape, total=False):
    #: At most 100 characters.
    title: str
    isNumbered: bool


class ProgressShape(TypedDict):
    """How far something has got. The next one with the same label replaces it if the console
    can do that; when done reaches total it is finished."""
    kind: Literal["progress"]
    #: At most 100 characters.
    label: str
    #: From 0 to 1000000000000.
    done: float
    #: From 0 to 1000000000000.
    total: float


class _KeyValueShape(TypedDict):
    """What every KeyValueShape has."""
    kind: Literal["keyValue"]
    #: At most 100 items.
    entries: List["KeyValueEntry"]


class KeyValueShape(_KeyValueShape, total=False):
    #: At most 100 characters.
    title: str


class KeyValueEntry(TypedDict):
    #: At most 80 characters.
    key: str
    #: At most 500 characters.
    value: str


class _SelectParams(TypedDict):
    """What every SelectParams has."""
    #: At most 1000 characters.
    question: str
    #: At least 1 item. At most 20 items.
    choices: List[str]


class SelectParams(_SelectParams, total=False):
    #: When the question expires, in milliseconds; default 300000. From 1000 to 600000.
    timeoutMs: int


class SelectResult(TypedDict, total=False):
    #: The index of the choice, from 0.
    choice: int
    unanswered: "Unanswered"


#: The person dismissed the question, or did not answer in time.
Unanswered = Literal["dismissed", "expired"]


class _ConfirmParams(TypedDict):
    """What every ConfirmParams has."""
    #: At most 1000 characters.
    question: str


class ConfirmParams(_ConfirmParams, total=False):
    #: From 1000 to 600000.
    timeoutMs: int


class ConfirmResult(TypedDict, total=False):
    isConfirmed: bool
    unanswered: "Unanswered"


class _InputParams(TypedDict):
    """What every InputParams has."""
    #: At most 1000 characters.
    question: str


class InputParams(_InputParams, total=False):
    #: What is typed is not shown, and is masked in everything that the session writes or shows
    #: from then on.
    isSecret: bool
    #: From 1000 to 600000.
    timeoutMs: int


class InputResult(TypedDict, total=False):
    text: str
    unanswered: "Unanswered"
