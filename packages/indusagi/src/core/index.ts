export { Aborted, abortable, delay } from "./abort.ts";
export { type BoundedRead, readBoundedFile, readFileOpening, withRegularFile } from "./bounded-file.ts";
export { type ClipEnd, clamp, clampEncoded, clampLines, defaultNotice, type OutputBudget } from "./clamp.ts";
export { isoNow, isoTime, isTime, monotonicMs, nowMs, useWallClock } from "./clock.ts";
export {
  type Credential,
  credentialsIn,
  isCredentialHeader,
  isCredentialName,
  passwordIn,
} from "./credentials.ts";
export { beginningOf, endingOf } from "./cut-text.ts";
export { type Deferred, deferred } from "./deferred.ts";
export { createDisposer, type Disposer, Listeners } from "./disposable.ts";
export { formatDollars } from "./dollars.ts";
export { describeError, errorCode, type Fault } from "./faults.ts";
export { includesText } from "./find-piece.ts";
export { formatCount } from "./format-count.ts";
export { grouped } from "./grouped.ts";
export { accountHome, HOME_VARIABLE, homeFolder } from "./home.ts";
export { createId } from "./ids.ts";
export { isSameJson, isTable, jsonBytes } from "./json-value.ts";
export { nearest } from "./nearest.ts";
export { isInside, resolvePath } from "./paths.ts";
export { type PlainReading, plainJson } from "./plain-json.ts";
export { createPrintable, type Printable, printable } from "./printable.ts";
export { type ProcessFacts, type ProcessPlace, processFacts, processPlace } from "./process-facts.ts";
export {
  compileSchema,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  problemHere,
  type SchemaCheck,
} from "./schema/json-schema.ts";
export { readSchema, type SchemaReading, schemaPart } from "./schema/read-schema.ts";
export {
  createSecretMask,
  type MaskedStream,
  placeholderOf,
  placeholdersIn,
  type SecretMask,
} from "./secret-mask.ts";
export {
  createSessionScope,
  NO_SCOPE,
  type OpenScope,
  type SessionKey,
  type SessionScope,
  sessionKey,
} from "./session-scope.ts";
export { shownPath } from "./shown-path.ts";
export { brief, briefValue, trimEndOf, trimStartOf } from "./trim-ends.ts";
export { matchPathGlob, matchSequence, matchWildcard } from "./wildcard.ts";
