/** Replaces output that was dropped to stay within a limit. Its words stay as they are, byte for byte. */
export function elisionNotice(omittedBytes: number): string {
  return `\n[${omittedBytes} bytes elided to stay within the output ceiling]\n`;
}
