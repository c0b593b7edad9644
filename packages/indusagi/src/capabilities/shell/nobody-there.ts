// Commands that nobody watches: editors, pagers and prompts are told so by variables and fail at once, or are ended
// (`backends/waiting-editors`). Each failure comes with what to do instead.

/**
 * For commands that run without a person. `false`, not `true`: an editor that succeeds would have `git rebase -i` go ahead with a list
 * that nobody has looked at.
 */
export const UNATTENDED: Readonly<Record<string, string>> = {
  ...{ EDITOR: "false", VISUAL: "false", GIT_EDITOR: "false", GIT_SEQUENCE_EDITOR: "false" },
  ...{
    PAGER: "cat",
    GIT_PAGER: "cat",
    MANPAGER: "cat",
    SYSTEMD_PAGER: "cat",
    GH_PAGER: "cat",
    AWS_PAGER: "",
  },
  ...{ GIT_ASKPASS: "false", SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "never", SUDO_ASKPASS: "false" },
  ...{ GIT_TERMINAL_PROMPT: "0", GCM_INTERACTIVE: "never", GH_PROMPT_DISABLED: "1" },
  ...{ DEBIAN_FRONTEND: "noninteractive", TERM: "dumb" },
};

/** What a program says when it cannot ask, and what to do instead. The first row that fits counts. */
const ADVICE: readonly (readonly [says: RegExp, advice: string])[] = [
  [
    /problem with the (?:sequence )?editor/,
    "git opened an editor: pass -m, -F or --no-edit, or for rebase -i set GIT_SEQUENCE_EDITOR in the line to a command that changes the list",
  ],
  [
    /^crontab: .* exited with status/m,
    "crontab opened an editor: write the table to a file and pass that file",
  ],
  [
    /^Vim: Warning: (?:Out|In)put is not (?:to|from) a terminal/m,
    "an editor was opened: use the tool edit, or vim -es with -c",
  ],
  [
    /terminal prompts disabled|unable to read askpass response/,
    "git asked for a login: use a remote that needs none, or ask the person to log in",
  ],
  [
    /sudo: .*(?:password is required|terminal is required|askpass)/,
    "sudo asked for a password: only sudo -n works, and only where no password is needed",
  ],
  [
    /^Host key verification failed|^\S+: Permission denied \((?:publickey|password|keyboard)/m,
    "ssh could not ask: the person has to accept the host key, or offer a key without a passphrase",
  ],
  [/Enter (?:file in which to save the key|passphrase \(empty)/, "ssh-keygen asked: pass -f FILE -N ''"],
  [/^This utility will walk you through creating a package\.json/m, "npm init asked: pass -y"],
  [
    /\[[Yy]\/[Nn]\][ :?]{0,8}(?:Abort\.?)?$/m,
    "it asked for a confirmation: pass its option for yes, often -y",
  ],
  [/EOFError: EOF when reading a line/, "the program asked for input: pass it by a pipe or a here-document"],
  [
    /^gpg: .*(?:Inappropriate ioctl|cannot open '\/dev\/tty')|No pinentry/m,
    "gpg asked for a passphrase: pass --batch with --passphrase-file, or --no-gpg-sign to git",
  ],
  [/^top: failed tty get/m, "top draws on a terminal: use top -b -n 1"],
  [/the input device is not a TTY/, "there is no terminal: leave out -t"],
  [
    /\/dev\/tty: No such device|(?:stdin|standard input|input) is not a (?:tty|terminal)|not a terminal$|Error opening terminal/im,
    "there is no terminal, and nobody to answer: use options, files or a pipe instead",
  ],
];

/** Programs say it at the beginning or in the end. */
const LOOKED_AT = 4_096;

/** What to do instead of what these streams show was tried; undefined for most. */
export function adviceFor(streams: readonly string[]): string | undefined {
  const texts = streams.flatMap((text) =>
    text.length <= 2 * LOOKED_AT ? [text] : [text.slice(0, LOOKED_AT), text.slice(-LOOKED_AT)],
  );
  return ADVICE.find(([says]) => texts.some((text) => says.test(text)))?.[1];
}
