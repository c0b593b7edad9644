// Server-sent events from raw chunks: UTF-8 across chunk borders, frames of bounded size.

import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { parseObject } from "./loose-json.ts";

/** A frame longer than this many characters is not a model's answer. */
export const MAX_FRAME_CHARS: number = 8 * 1024 * 1024;

export interface SseReader {
  /** Takes the next chunk, calling `onData` for each frame that it completes. False: a frame is over the limit. */
  readonly feed: (chunk: Buffer) => boolean;
}

/** Reads a stream that may be split anywhere. A frame left incomplete at the stream's end is dropped (HTML, SSE). */
export function createSseReader(
  onData: (data: string) => void,
  maxFrameChars: number = MAX_FRAME_CHARS,
): SseReader {
  const decoder = new StringDecoder("utf8");
  let tooLarge = false;
  let hasBegun = false;
  let wasReturn = false;
  const parser = createParser({
    maxBufferSize: maxFrameChars,
    onEvent: (event) => onData(event.data),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") tooLarge = true;
      // Unknown fields and bad retry hints are ignored; llama.cpp reports its failures in a field of its own.
      else if (error.type === "unknown-field" && error.field === "error")
        onData(errorEvent(error.value ?? ""));
    },
  });
  return {
    feed: (chunk) => {
      if (!tooLarge) parser.feed(withLineFeeds(withoutMark(decoder.write(chunk))));
      return !tooLarge;
    },
  };

  /** A stream may begin with a byte order mark; the parser recognises it only in undecoded text. */
  function withoutMark(text: string): string {
    if (hasBegun || text === "") return text;
    hasBegun = true;
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  }

  /** Normalises line ends to line feeds: with mixed CR and CRLF, the parser depends on where the text is split. */
  function withLineFeeds(text: string): string {
    const rest = wasReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") wasReturn = text.endsWith("\r");
    return rest.includes("\r") ? rest.replaceAll(/\r\n?/g, "\n") : rest;
  }
}

/** Turns the text of an `error` field into the event that other servers send instead. */
function errorEvent(text: string): string {
  return `{"error":${parseObject(text) === undefined ? JSON.stringify(text) : text}}`;
}
