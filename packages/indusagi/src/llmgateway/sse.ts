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

/** Reads a stream that may be cut anywhere. A frame that the stream's end leaves incomplete is dropped (HTML, SSE). */
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
      // Unknown fields and bad retry hints are to be ignored; llama.cpp tells its failures in a field of its own.
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

  /** A byte order mark may begin a stream; the parser knows it only in text that was not decoded. */
  function withoutMark(text: string): string {
    if (hasBegun || text === "") return text;
    hasBegun = true;
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  }

  /** Each line end as one line feed: where CR and CRLF are mixed, the parser depends on where the text is cut. */
  function withLineFeeds(text: string): string {
    const rest = wasReturn && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") wasReturn = text.endsWith("\r");
    return rest.includes("\r") ? rest.replaceAll(/\r\n?/g, "\n") : rest;
  }
}

/** The text of an `error` field as the event that other servers send in its place. */
function errorEvent(text: string): string {
  return `{"error":${parseObject(text) === undefined ? JSON.stringify(text) : text}}`;
}
