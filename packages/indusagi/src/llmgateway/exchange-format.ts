// A recording of HTTP exchanges: what went over the wire, as JSON Lines, so that a replay runs the wire's own code.
//
//   {"exchanges":1,"about":"…"}
//   {"exchange":1,"model":"anthropic/claude-opus-5-5","path":"/v1/messages","headers":{…},"body":"{…}","status":200,"type":"text/event-stream","answer":"event: …"}

import { CassetteError } from "./cassette-format.ts";
import { asText, type Loose, parseObject } from "./loose-json.ts";

/** One request and its answer. Only headers without personal data are kept. */
export interface TapedExchange {
  readonly exchange: number;
  /** `provider/model`. */
  readonly model: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly type: string;
  readonly answer: string;
  /** The connection broke after this. */
  readonly isCut?: true | undefined;
}

const MAX_CHARS: number = 64 * 1024 * 1024;

/** The first line. */
export function exchangesHeader(about: string): string {
  return `${JSON.stringify({ exchanges: 1, about })}\n`;
}

/** Whether a recording contains exchanges, by its first line. */
export function holdsExchanges(text: string): boolean {
  return parseObject(text.slice(0, 10_000).split("\n", 1)[0] ?? "")?.exchanges === 1;
}

/** The exchanges of a recording. Throws a {@link CassetteError}. */
export function parseExchanges(text: string): readonly TapedExchange[] {
  if (text.length > MAX_CHARS)
    throw new CassetteError(`A recording of ${text.length} characters is too large.`);
  const lines = text.split("\n").map((line, at) => ({ line, number: at + 1 }));
  const [, ...rest] = lines.filter(({ line }) => line.trim() !== "");
  return rest.map(({ line, number }, at) => {
    const found = parseObject(line);
    if (!found) throw new CassetteError(`Line ${number} of the recording is not a JSON object.`);
    return readExchange(found, number, at + 1);
  });
}

function readExchange(found: Loose, number: number, exchange: number): TapedExchange {
  const text = (name: string): string => asText(found[name]) ?? refuse(`"${name}" must be a string`);
  const refuse = (why: string): never => {
    throw new CassetteError(`Line ${number} of the recording: ${why}.`);
  };
  if (found.exchange !== exchange) refuse(`expected "exchange": ${exchange}`);
  const status = Number(found.status);
  if (!Number.isInteger(status) || status < 100 || status > 599) refuse('"status" must be an HTTP status');
  const model = text("model");
  if (!/^[^/]+\/./.test(model)) refuse('"model" must be provider/model');
  return {
    exchange,
    model,
    path: text("path"),
    headers: {},
    body: text("body"),
    status,
    type: text("type"),
    answer: text("answer"),
    isCut: found.isCut === true ? true : undefined,
  };
}
