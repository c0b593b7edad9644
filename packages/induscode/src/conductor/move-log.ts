// The log of a running session after a failure: repaired in place, or continued in another file. It is copied from the file that is
// open, whatever became of its path.

import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { describeError } from "indusagi/core";
import { makeFolder } from "../store/make-folder.ts";
import { LogError, type OpenedLog, openLog } from "./log.ts";
import { copyInto, type HeldFile } from "./log-file.ts";
import type { SessionRecord } from "./record.ts";

/** Makes a log that failed take entries again. Throws {@link LogError} while it still fails. */
export function mendLog(record: SessionRecord): void {
  const { path, held } = record.log();
  const file = held();
  if (!file?.mended) return;
  try {
    // After a failed flush the system treats what it could not write as written: only what is written again is flushed.
    ftruncateSync(file.fd, file.length);
    copyInto(file.fd, file.fd, file.length);
    fsyncSync(file.fd);
    file.mended();
  } catch (error) {
    throw new LogError(`The session log ${path} cannot be written: ${describeError(error)}`);
  }
}

/** The session continues in a new file, with all of its entries; the old one stays. Throws {@link LogError}; nothing has changed then. */
export function moveLog(record: SessionRecord, path: string): void {
  const file = record.log().held();
  if (!file) {
    record.log().beginAt(path);
    return;
  }
  try {
    makeFolder(dirname(path));
    writeCopy(file, path);
  } catch (error) {
    throw new LogError(`The session log cannot continue in ${path}: ${describeError(error)}`);
  }
  goOnIn(record, path);
}

function writeCopy({ fd, length }: HeldFile, path: string): void {
  const copy = openSync(path, "wx", 0o600);
  try {
    copyInto(copy, fd, length);
    fsyncSync(copy);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(copy);
  }
}

function goOnIn(record: SessionRecord, path: string): void {
  const { log } = openCopy(path);
  closeLog(record);
  record.restart(log, record.fold());
}

function openCopy(path: string): OpenedLog {
  try {
    return openLog(path);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function closeLog(record: SessionRecord): void {
  try {
    record.log().close();
  } catch {
    // Its lock is on a disk that fails: it ends with this process.
  }
}
