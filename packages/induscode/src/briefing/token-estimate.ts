// Deliberately rough: it only ranks what a prompt is spent on. The provider reports a request's real cost.
const CHARS_PER_TOKEN = 4;

/** About how many tokens a text takes. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
