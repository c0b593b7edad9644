// What a browser needs of a sandbox beyond other programs, by the grant `browser`: memory that its processes share, room, fonts, and the
// system's browser at a place where the programs that drive one look for it.

import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readBoundedFile } from "indusagi/core";
import { replaceFile } from "../../store/replace-file.ts";
import { privateFolder } from "./filter-file.ts";

/** Where the system's browser is: Debian's and Fedora's, Arch's, Google's. */
const BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];
const MAX_SCRIPT_BYTES = 64 * 1024;
/** Where Playwright and Puppeteer look for the stable Chrome of Linux, if they are told nothing. */
export const BROWSER_PLACE = "/opt/google/chrome/chrome";
/** Where Google's own is then: it finds its files beside itself. */
const INSTALLED_CHROME = "/opt/google/chrome-installed";

/** Bytes in `/dev/shm`, which no process limit counts: what all pages share among the browser's processes. */
const SHARED_MEMORY_BYTES = 512 * 1024 ** 2;
/** Bytes in `/tmp`: a profile and its cache. */
export const BROWSER_TMP_BYTES: number = 512 * 1024 ** 2;
/** RLIMIT_DATA of each process in bytes: V8 lets a page have a heap of 4 GB. A plain page takes less than 512 MB (Chromium 150, measured). */
export const BROWSER_DATA_BYTES: number = 6 * 1024 ** 3;
/** A browser has pipes to all of its processes. */
export const BROWSER_OPEN_FILES = 4096;

/** Fonts, and what whoever runs the machine lets its browsers do. */
const FILES = ["/etc/fonts", "/var/cache/fontconfig", "/etc/chromium", "/etc/chromium.d", "/etc/opt/chrome"];

/** The system's browser; without it, `found` says what there is instead. */
export function systemBrowser(places: readonly string[] = BROWSERS): {
  readonly path?: string;
  readonly found?: string;
} {
  const there = places.filter((path) => existsSync(path));
  const path = there.find((each) => !startsSnap(each));
  if (path !== undefined) return { path };
  const [snap] = there;
  return snap === undefined ? {} : { found: `${snap} starts a snap, which cannot start in a sandbox` };
}

/** What Ubuntu has at these places is a link to `snap`, or a script for it. */
function startsSnap(path: string): boolean {
  try {
    const real = realpathSync(path);
    if (basename(real) === "snap" || real.startsWith("/snap/")) return true;
    const text = readBoundedFile(real, MAX_SCRIPT_BYTES).toString("latin1");
    return text.startsWith("#!") && /\/snap\/bin\/|\bsnap run\b/.test(text);
  } catch {
    return false; // a program of its own, which no script is as long as
  }
}

/** The arguments of bwrap for all of it. Its devices are there before. */
export function browserMounts(): readonly string[] {
  const { path: browser } = systemBrowser();
  return [
    ...["--perms", "1777", "--size", String(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"],
    ...FILES.flatMap((path) => ["--ro-bind-try", path, path]),
    ...(browser === undefined ? [] : placed(browser)),
  ];
}

function placed(browser: string): readonly string[] {
  const real = realpathSync(browser);
  const isGoogles = real.startsWith("/opt/");
  const program = isGoogles ? join(INSTALLED_CHROME, "chrome") : browser;
  return [
    ...(isGoogles ? ["--ro-bind", dirname(real), INSTALLED_CHROME] : []),
    ...["--ro-bind", starterFile(program), BROWSER_PLACE],
  ];
}

/** The path of a file that starts this browser as it can run here. It is checked each time, and lies where only this user can write. */
function starterFile(program: string): string {
  const path = join(privateFolder(), `browser-${program.replaceAll("/", "-").slice(1)}`);
  const text = Buffer.from(starter(program));
  if (!holds(path, text)) replaceFile(path, text, { mode: 0o700 });
  return path;
}

/**
 * Its own sandbox would need what this one refuses, and is not needed in it. There is no screen. By itself it would ask no proxy for the
 * machine's own addresses: it does if the proxy leads to them.
 */
function starter(program: string): string {
  return `#!/bin/sh
if [ -n "$HTTP_PROXY" ]; then
  set -- "--proxy-server=$HTTP_PROXY" "$@"
  [ -n "$NO_PROXY" ] || set -- "--proxy-bypass-list=<-loopback>" "$@"
fi
[ -w "$HOME" ] || export HOME=/tmp
exec ${program} --headless --no-sandbox --disable-gpu "$@"
`;
}

function holds(path: string, text: Buffer): boolean {
  try {
    return lstatSync(path).mode % 0o1000 === 0o700 && readBoundedFile(path, text.byteLength).equals(text);
  } catch {
    // Missing or not readable: it is written again.
    return false;
  }
}
