// The recording surface: nothing is dispatched, loaded or resolved here. Invalid
// input is refused immediately, while the author's stack still shows the line.

import type { JsonObject } from "indusagi/core";
import { HOOK_EVENTS, type HookEvent, isHookEvent } from "../../feature/events.ts";
import type { HookHandler } from "../../feature/handler.ts";
import type { InterceptorStage } from "../../feature/interceptor.ts";
import type { SamplingService } from "../../feature/sampling-service.ts";
import type {
  AddonHostServices,
  AddonSurface,
  AddonTask,
  AddonTool,
  AddonUi,
  CommandSpec,
  RecordedCommand,
  RecordedHandler,
  RecordedInterceptor,
  RecordedTask,
  RecordedTool,
  RegisteredManifest,
  SessionHandles,
} from "./contract.ts";
import { HostRefused } from "./host-refused.ts";
import { plainServices } from "./request-services.ts";

/** What a surface acts through; a surface without them only records. */
export interface SurfaceDeps {
  readonly host?: AddonHostServices;
  readonly handles?: SessionHandles;
  readonly ui?: AddonUi;
  /** Hears of what does not fit, which is then left out. Without it, as in an author's tests, recording that throws. */
  readonly onUnfit?: ((part: UnfitPart) => void) | undefined;
  /** Has the session's model answer. */
  readonly sample?: SamplingService | undefined;
  /** Takes another registration in the place of this one. */
  readonly onRenew?: ((register: (surface: RecordingSurface) => void) => void) | undefined;
}

/** Something that cannot be recorded. */
export interface UnfitPart {
  readonly kind: "tool" | "command" | "hook" | "task";
  /** Of a hook its event, or `intercept:` and the tool's name. */
  readonly name: string;
  /** Names the call and what does not fit. The stack of an error leads to the author's line. */
  readonly why: Error | string;
}

/** A surface for the addon `id`. Authors' own tests create one too, and look at its `manifest()`. */
export function createSurface(id: string, deps: SurfaceDeps = {}): RecordingSurface {
  return new RecordingSurface(id, deps);
}

/** Nothing registered. */
export function emptyManifest(): RegisteredManifest {
  return { subscriptions: [], interceptors: [], commands: [], tools: [], tasks: [] };
}

/** Records what an addon registers. */
export class RecordingSurface implements AddonSurface {
  readonly id: string;
  readonly host: AddonHostServices;
  readonly handles: SessionHandles;
  readonly ui: AddonUi;
  /** Has the session's model answer, by the grant `sampling`. Rejects with a `HostRefused`. */
  readonly sample: SamplingService;
  readonly #onUnfit: SurfaceDeps["onUnfit"];
  readonly #onRenew: SurfaceDeps["onRenew"];
  readonly #subscriptions: RecordedHandler[] = [];
  readonly #interceptors: RecordedInterceptor[] = [];
  readonly #commands: RecordedCommand[] = [];
  readonly #tools: RecordedTool[] = [];
  readonly #tasks: RecordedTask[] = [];
  #instructions: string | undefined;
  #isSealed = false;

  constructor(
    id: string,
    { host = NO_HOST, handles = NO_HANDLES, ui = NO_UI, sample = refuse, onUnfit, onRenew }: SurfaceDeps = {},
  ) {
    this.id = id;
    this.host = host;
    this.handles = handles;
    this.ui = ui;
    this.sample = sample;
    this.#onUnfit = onUnfit;
    this.#onRenew = onRenew;
  }

  /** From now on every recording method throws: nobody would see what is recorded after `register` has ended. */
  seal(): void {
    this.#isSealed = true;
  }

  // Bound, because authors destructure the surface: `register({ on, addTool })`.
  readonly on = <E extends HookEvent>(event: E, handler: HookHandler<E>): void =>
    this.#record(
      "hook",
      () => event,
      () => {
        check(
          isHookEvent(event),
          `on: the event must be one of ${HOOK_EVENTS.join(", ")}; got ${shown(event)}`,
        );
        const { kind, run, onFailure } = table(handler);
        const isKnown = kind === "observe" || kind === "transform" || kind === "gate";
        check(
          isKnown && typeof run === "function",
          `on("${event}"): the handler must be made by observe(run), transform(run) or gate(run); got ${shown(handler)}`,
        );
        check(
          kind !== "gate" || onFailure === undefined || onFailure === "allow" || onFailure === "block",
          `on("${event}"): onFailure of a gate must be "allow" or "block"; got ${shown(onFailure)}`,
        );
        // The pair was checked before the type is erased: a list holds handlers of every event.
        this.#subscriptions.push({ addon: this.id, event, handler: handler as unknown as HookHandler });
      },
    );

  readonly interceptTool = (name: string, stage: InterceptorStage): void =>
    this.#record(
      "hook",
      () => `intercept:${name}`,
      () => {
        checkName("interceptTool", name);
        const { enter, exit } = table(stage);
        const isStage = [enter, exit].every((half) => half === undefined || typeof half === "function");
        check(
          isStage && (enter !== undefined || exit !== undefined),
          `interceptTool("${name}"): the stage must have a function enter, exit or both; got ${shown(stage)}`,
        );
        this.#interceptors.push({
          addon: this.id,
          match: name,
          // Bound: a stage, a command, a tool and a task may be class instances.
          enter: stage.enter?.bind(stage),
          exit: stage.exit?.bind(stage),
        });
      },
    );

  readonly addCommand = (name: string, spec: CommandSpec): void =>
    this.#record(
      "command",
      () => name,
      () => {
        checkName("addCommand", name);
        const { summary, run } = table(spec);
        check(
          typeof summary === "string" && typeof run === "function",
          `addCommand("${name}"): it takes { summary, run }: a string and a function; got ${shown(spec)}`,
        );
        this.#commands.push({ addon: this.id, ...withRun(spec), name });
      },
    );

  readonly addTool = <Args = JsonObject>(tool: AddonTool<Args>): void =>
    this.#record(
      "tool",
      () => table(tool).name,
      () => {
        const { name, description, parameters, run, requiredCapabilities } = table(tool);
        checkName("addTool", name);
        check(
          typeof description === "string" && isTable(parameters) && typeof run === "function",
          `addTool("${name}"): it takes { name, description, parameters, run }: two strings, a JSON Schema and a function`,
        );
        checkNeeds(`addTool("${name}")`, requiredCapabilities);
        this.#tools.push({ addon: this.id, ...withRun(tool as AddonTool<never>) });
      },
    );

  readonly addTask = (task: AddonTask): void =>
    this.#record(
      "task",
      () => table(task).id,
      () => {
        const { id, description, run, requiredCapabilities } = table(task);
        checkName("addTask", id, "id");
        check(
          typeof description === "string" && typeof run === "function",
          `addTask("${id}"): it takes { id, description, run }: two strings and a function`,
        );
        checkNeeds(`addTask("${id}")`, requiredCapabilities);
        this.#tasks.push({ addon: this.id, ...withRun(task) });
      },
    );

  /** Names something that the addon would contribute if it could. */
  readonly leaveOut = (kind: UnfitPart["kind"], name: string, reason: string): void =>
    this.#onUnfit?.({ kind, name, why: reason });

  /** For the prompt: what an MCP server says about using it. */
  readonly instruct = (text: string): void => {
    this.#instructions = text;
  };

  /** What the addon contributes has changed since it registered: `register` records all of it anew. Only for an MCP server. */
  readonly renew = (register: (surface: RecordingSurface) => void): void => this.#onRenew?.(register);

  readonly manifest = (): RegisteredManifest => ({
    subscriptions: [...this.#subscriptions],
    interceptors: [...this.#interceptors],
    commands: [...this.#commands],
    tools: [...this.#tools],
    tasks: [...this.#tasks],
    instructions: this.#instructions,
  });

  /** Records something by `work`, which may touch whatever an author passed in. */
  #record(kind: UnfitPart["kind"], nameOf: () => unknown, work: () => void): void {
    if (this.#isSealed)
      throw new TypeError("the addon has already registered: record everything before register returns");
    try {
      work();
    } catch (error) {
      if (this.#onUnfit === undefined) throw error;
      this.#onUnfit({ kind, name: nameIn(nameOf), why: asError(error) });
    }
  }
}

/** Of whatever it is. */
function nameIn(read: () => unknown): string {
  try {
    const name = read();
    return typeof name === "string" && name !== "" ? name.slice(0, MAX_NAME) : NAMELESS;
  } catch {
    return NAMELESS;
  }
}

const NAMELESS = "without a name";
const MAX_NAME = 100;

/** An author's getter may throw anything. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new TypeError(`it throws when read: ${shown(thrown)}`);
}

function checkNeeds(what: string, needs: unknown): void {
  if (needs === undefined) return;
  const wrong = Array.isArray(needs) ? needs.find((need) => typeof table(need).kind !== "string") : needs;
  check(
    wrong === undefined,
    `${what}: requiredCapabilities must be a list of capabilities such as { kind: "files", write: true }; got ${shown(wrong)}`,
  );
}

function checkName(method: string, name: unknown, field = "name"): void {
  check(
    typeof name === "string" && name !== "",
    `${method}: the ${field} must be a non-empty string, got ${shown(name)}`,
  );
}

function check(fits: boolean, problem: string): void {
  if (!fits) throw new TypeError(problem);
}

/** A copy, so that later changes do not affect what is recorded; `run` stays bound to its object. */
function withRun<Spec extends { readonly run: (...args: never) => unknown }>(spec: Spec): Spec {
  return { ...spec, run: spec.run.bind(spec) };
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The fields of whatever an author passed in. */
function table(value: unknown): Readonly<Record<string, unknown>> {
  return isTable(value) ? value : {};
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 80));
  if (isTable(value)) return `an object with ${Object.keys(value).slice(0, 10).join(", ") || "no fields"}`;
  if (Array.isArray(value)) return "a list";
  return value === undefined ? "nothing" : value === null ? "null" : `a ${typeof value}`;
}

async function refuse(): Promise<never> {
  throw new HostRefused("unavailable", "this surface has no host: it only records");
}

function ignore(): void {
  // A surface without a host has no log and no report.
}

const NO_HOST: AddonHostServices = {
  ...plainServices(refuse),
  diagnostic: ignore,
  log: ignore,
  fetch: refuse,
};

const NO_HANDLES: SessionHandles = {
  sendMessage: refuse,
  setModel: refuse,
  setThinking: refuse,
  exec: refuse,
};

const NO_UI: AddonUi = {
  offers: async () => ({ status: false, render: false, ask: false }),
  status: refuse,
  render: refuse,
  select: refuse,
  confirm: refuse,
  input: refuse,
};
