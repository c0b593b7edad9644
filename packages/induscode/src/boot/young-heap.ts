// A console stays for hours, and what it takes of the machine counts more than the last tenth of its speed.

/** The option is V8's own, and one that a later V8 no longer has would be a line on the screen. */
const KNOWN_TO_NODE = 26;

/**
 * Keeps V8's young generation as large as the start made it: some megabytes, where it would grow to sixteen and twice that,
 * and never become smaller while there is work. Measured: `docs/decisions/095`.
 */
export function keepYoungHeapSmall(): void {
  if (Number.parseInt(process.versions.node, 10) > KNOWN_TO_NODE) return;
  process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1");
}
