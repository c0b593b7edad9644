// `surface.host` and `surface.handles`: what an addon asks of the host, as requests over the pipe.

import type { SampleAnswer, SamplingService } from "../../feature/sampling-service.ts";
import {
  type AddonHostServices,
  type AddonUi,
  type ExecOutcome,
  type FetchAnswer,
  HostRefused,
  type RefusalKind,
  type SessionHandles,
  type UiOffers,
} from "../kit/index.ts";
import { plainServices } from "../kit/request-services.ts";
import { ERROR_CODES } from "../process/protocol/messages.ts";

export interface HostLink {
  /** Rejects with a `HostRefused`. */
  readonly request: (method: string, params: unknown) => Promise<unknown>;
  readonly notify: (method: string, params: unknown) => void;
}

/** The host's answers follow the protocol's schema, so their shapes are not checked again. */
export function createHostServices({ request, notify }: HostLink): AddonHostServices {
  return {
    ...plainServices(request),
    diagnostic: (severity, text) => notify("diagnostic", { severity, text }),
    log: (text) => notify("log", { text }),
    fetch: async (url, options = {}) => {
      const { method, headers, body } = options; // JSON leaves out a key without a value
      return (await request("fetch", { url, method, headers, body })) as FetchAnswer;
    },
  };
}

export function createSampling({ request }: HostLink): SamplingService {
  return async (asked) => (await request("sample", asked)) as SampleAnswer;
}

export function createSessionHandles({ request }: HostLink): SessionHandles {
  return {
    sendMessage: async (text) => void (await request("sendMessage", { text })),
    setModel: async (name) => void (await request("setModel", { name })),
    setThinking: async (level) => void (await request("setThinking", { level })),
    exec: async (command, args = []) => (await request("exec", { command, args })) as ExecOutcome,
  };
}

export function createUi({ request }: HostLink): AddonUi {
  return {
    offers: async () => (await request("ui/offers", {})) as UiOffers,
    status: async (text, id) => void (await request("ui/status", { text, id })),
    render: async (shape) => void (await request("ui/render", { shape })),
    select: async (question, choices, { timeoutMs } = {}) => {
      const answer = (await request("ui/select", { question, choices, timeoutMs })) as {
        readonly choice?: number;
      };
      return answer.choice === undefined ? undefined : choices[answer.choice];
    },
    confirm: async (question, { timeoutMs } = {}) =>
      ((await request("ui/confirm", { question, timeoutMs })) as { readonly isConfirmed?: boolean })
        .isConfirmed,
    input: async (question, { isSecret, timeoutMs } = {}) =>
      ((await request("ui/input", { question, isSecret, timeoutMs })) as { readonly text?: string }).text,
  };
}

const KINDS: Readonly<Record<number, RefusalKind>> = {
  [ERROR_CODES.denied]: "denied",
  [ERROR_CODES.unavailable]: "unavailable",
  [ERROR_CODES.limit]: "limit",
  [ERROR_CODES.cancelled]: "cancelled",
  [ERROR_CODES.params]: "params",
  [ERROR_CODES.method]: "params",
  [ERROR_CODES.request]: "params",
};

/** The host's error in place of a result. */
export function refusalOf(error: unknown): HostRefused {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const kind = (typeof code === "number" ? KINDS[code] : undefined) ?? "failed";
  return new HostRefused(kind, typeof message === "string" ? message : "the host gave no reason");
}
