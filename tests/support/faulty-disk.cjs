// For --require: the disk below FAULT_FOLDER fails as FAULT says, `<kind>:<nth>`, at the nth call that writes, flushes, renames or
// truncates there, or, with FAULT_WHILE, while that file exists: `full` and `broken` throw, `read-only` also when opening and making
// folders, `torn` after half a write, `short` writes half, `liar` writes nothing but reports success. FAULT_NOTES records every call,
// and how far a log has reached the disk. With FAULT_LOCKS, lock files cannot be made there either.
"use strict";
const fs = require("node:fs");
const { FAULT = "none:0", FAULT_FOLDER = "", FAULT_NOTES = "", FAULT_WHILE, FAULT_LOCKS } = process.env;
const real = { ...fs };
const [kind, nth] = FAULT.split(":");
const open = new Map();
const throws = ["full", "broken", "read-only", "torn"].includes(kind);
let calls = 0;
// A failure lasts for a while, as with a full disk: a retry of the same call fails too.
const STAYS = 3;

function isDue(what, path) {
  calls++;
  real.appendFileSync(FAULT_NOTES, `call ${calls} ${what} ${path}\n`);
  if (FAULT_WHILE !== undefined) return fs.existsSync(FAULT_WHILE);
  return kind !== "none" && calls >= Number(nth) && calls < Number(nth) + STAYS;
}
function failure(what) {
  const code = { full: "ENOSPC", "read-only": "EROFS" }[kind] ?? "EIO";
  return Object.assign(new Error(`${code}: ${kind} disk, ${what}`), { code, syscall: what });
}
const isHere = (path) => typeof path === "string" && path.startsWith(FAULT_FOLDER) && !path.includes(".lock");
const safe = (path, length) =>
  path.endsWith(".jsonl") && real.appendFileSync(FAULT_NOTES, `safe ${length} ${Date.now()} ${path}\n`);
const lengthOf = (fd) => {
  try {
    return real.fstatSync(fd).size;
  } catch {
    return 0;
  }
};

const isWriting = (flags) =>
  typeof flags === "number" ? (flags & 3) !== real.constants.O_RDONLY : flags !== "r";
const isLock = (path) =>
  FAULT_LOCKS && String(path).startsWith(FAULT_FOLDER) && String(path).includes(".lock");

fs.writeFileSync = (path, ...more) => {
  if (isLock(path) && isDue("lock", path)) throw failure("write");
  return real.writeFileSync(path, ...more);
};
fs.openSync = (path, ...more) => {
  if (kind === "read-only" && isHere(path) && isWriting(more[0]) && isDue("open", path))
    throw failure("open");
  const fd = real.openSync(path, ...more);
  if (isHere(path)) open.set(fd, path);
  else open.delete(fd);
  return fd;
};
fs.mkdirSync = (path, ...more) => {
  if (kind === "read-only" && isHere(path) && isDue("mkdir", path)) throw failure("mkdir");
  return real.mkdirSync(path, ...more);
};
fs.writeSync = (fd, data, ...more) => {
  const path = open.get(fd);
  if (path === undefined || !isDue("write", path)) return real.writeSync(fd, data, ...more);
  if (kind === "liar") return data.length;
  if (kind === "torn") real.writeSync(fd, data, 0, data.length >> 1, more[2]);
  if (kind !== "short" || typeof data === "string") throw failure("write");
  const [offset = 0, length = data.length, position] = more;
  return real.writeSync(fd, data, offset, Math.max(1, Math.floor(length / 2)), position);
};
for (const name of ["fdatasyncSync", "fsyncSync"])
  fs[name] = (fd) => {
    const path = open.get(fd);
    const length = lengthOf(fd);
    if (path !== undefined && isDue("sync", path) && throws) throw failure("fsync");
    real[name](fd);
    if (path !== undefined) safe(path, length);
  };
fs.fdatasync = (fd, done) => {
  const path = open.get(fd);
  const length = lengthOf(fd);
  if (path !== undefined && isDue("sync", path) && throws) return process.nextTick(done, failure("fsync"));
  real.fdatasync(fd, (error) => {
    if (!error && path !== undefined) safe(path, length);
    done(error);
  });
};
fs.ftruncateSync = (fd, length) => {
  const path = open.get(fd);
  if (path !== undefined && isDue("truncate", path) && throws) throw failure("ftruncate");
  real.ftruncateSync(fd, length);
};
fs.renameSync = (from, to) => {
  if (isHere(to) && isDue("rename", to) && throws) throw failure("rename");
  real.renameSync(from, to);
};
require("node:module").syncBuiltinESMExports();
