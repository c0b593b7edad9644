// The editor's services in a real session: the person's keys and history, the folder's files, their editor, the clipboard.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { listFiles, pictureIn } from "indusagi/capabilities";
import { describeError, errorCode, monotonicMs, printable, readBoundedFile } from "indusagi/core";
import { sessionFolder } from "../conductor/sessions.ts";
import { SERVER_RESOURCES } from "../session/server-resources.ts";
import { HOME_FILES, homePath } from "../store/home-files.ts";
import { readJsonText } from "../store/json.ts";
import { createLineHistory } from "../store/line-history.ts";
import { isInRepository } from "../store/repository.ts";
import { createCommandCompleter, firstOf } from "../tui/complete/commands.ts";
import { createFileCompleter } from "../tui/complete/files.ts";
import { createResourceCompleter } from "../tui/complete/resources.ts";
import type { Desk } from "../tui/desk.ts";
import { createBindings, DEFAULT_KEYS } from "../tui/keys/bindings.ts";
import { readUserKeys, type UserKeys } from "../tui/keys/user-keys.ts";
import { contentOf, fileAt, IMAGE } from "./mentioned-files.ts";

export interface DeskFacts {
  readonly cwd: string;
  readonly home: string;
  readonly personHome: string;
  readonly env: NodeJS.ProcessEnv;
  readonly isVi: boolean;
  /** Keeps secrets out of the history. */
  readonly mask: (text: string) => string;
}

/** Reads the person's keys; everything else is loaded at first use. */
export async function openDesk({ cwd, home, personHome, env, isVi, mask }: DeskFacts): Promise<Desk> {
  const { table, problems } = await readKeys(home);
  const clips = new Map<string, Buffer>();
  let pasted = 0;
  return {
    bindings: createBindings(table),
    history: createLineHistory(homePath(home, "history", basename(sessionFolder(home, cwd))), mask),
    isVi,
    completer: (into) =>
      firstOf([
        createCommandCompleter(into),
        createResourceCompleter(() => into().handles.session?.get(SERVER_RESOURCES)),
        createFileCompleter({
          list: (onPaths, signal) =>
            listFiles({ root: cwd, isInRepository: isInRepository(cwd), onPaths, signal }),
          now: monotonicMs,
          later: setImmediate,
        }),
      ]),
    imageAt: (pasted) => imageAt(pasted, personHome),
    clipboardImage: async () => {
      const image = await clipboardImage(env);
      if (image === undefined) return undefined;
      pasted += 1;
      const name = `clipboard ${pasted}.png`;
      clips.set(name, image);
      return name;
    },
    contentOf: (submission) => contentOf(submission, { cwd, personHome, clips }),
    editElsewhere: (text) => editElsewhere(text, env),
    notices: problems.map((problem) => `keybindings.json, ${printable(problem)}`),
  };
}

/** This person's keys; the defaults if there is no file. */
export async function readKeys(home: string): Promise<UserKeys> {
  const path = homePath(home, "keybindings");
  try {
    return await readUserKeys(readJsonText(path, HOME_FILES.keybindings.maxBytes, { followsLinks: true }));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { table: DEFAULT_KEYS, problems: [] };
    return {
      table: DEFAULT_KEYS,
      problems: [`cannot be read: ${describeError(error)}; the default keys apply`],
    };
  }
}

const MAX_PATH = 4_096;

/** Terminals paste a dropped file as a URL, in quotes as a shell writes them, or with backslashes before its spaces. */
function imageAt(pasted: string, personHome: string): string | undefined {
  const text = pasted.trim();
  if (text.length > MAX_PATH || text.includes("\n") || !IMAGE.test(text.replace(/['"]$/, "")))
    return undefined;
  const quoted = /^(['"])(.*)\1$/.exec(text)?.[2];
  let path = quoted?.replaceAll("'\\''", "'") ?? text.replace(/\\(.)/g, "$1");
  try {
    if (path.startsWith("file://")) path = fileURLToPath(path);
  } catch {
    return undefined; // a URL of another machine
  }
  if (path.startsWith("~/")) path = join(personHome || homedir(), path.slice(2));
  return isAbsolute(path) && fileAt(path) ? path : undefined;
}

const MAX_EDITED_BYTES = 16 * 1024 * 1024;

async function editElsewhere(text: string, env: NodeJS.ProcessEnv): Promise<string> {
  const editor = env.VISUAL?.trim() || env.EDITOR?.trim() || "vi";
  const folder = mkdtempSync(join(tmpdir(), "indus-edit-"));
  const path = join(folder, "message.md");
  try {
    writeFileSync(path, text, { mode: 0o600 });
    // As git does: the variable can contain arguments.
    const ended = await new Promise<number | string | null>((resolve, reject) => {
      const child = spawn("sh", ["-c", `${editor} "$@"`, editor, path], { stdio: "inherit", env });
      child.once("error", reject);
      child.once("close", (code, signal) => resolve(code ?? signal));
    });
    if (ended !== 0) {
      const how = typeof ended === "number" ? `exited with code ${ended}` : `was killed by ${ended}`;
      throw new Error(`${editor} ${how}; the text is unchanged`);
    }
    return readBoundedFile(path, MAX_EDITED_BYTES).toString("utf8").replace(/\n$/, "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Programs that print the image on the clipboard, by display system. */
function clipboardReaders(env: NodeJS.ProcessEnv): readonly (readonly string[])[] {
  if (process.platform === "darwin") return [["pngpaste", "-"]];
  if (env.WAYLAND_DISPLAY) return [["wl-paste", "--no-newline", "--type", "image/png"]];
  return env.DISPLAY ? [["xclip", "-selection", "clipboard", "-t", "image/png", "-o"]] : [];
}

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const CLIPBOARD_MS = 3_000;

async function clipboardImage(env: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
  for (const [program = "", ...args] of clipboardReaders(env)) {
    const image = await new Promise<Buffer>((resolve) => {
      const pieces: Buffer[] = [];
      let size = 0;
      const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], env, timeout: CLIPBOARD_MS });
      child.stdout.on("data", (piece: Buffer) => {
        size += piece.length;
        if (size > MAX_IMAGE_BYTES) child.kill("SIGKILL");
        else pieces.push(piece);
      });
      child.once("error", () => resolve(Buffer.alloc(0)));
      child.once("close", (code) => resolve(code === 0 ? Buffer.concat(pieces) : Buffer.alloc(0)));
    });
    if (pictureIn(image)?.mediaType === "image/png") return image;
  }
  return undefined;
}
