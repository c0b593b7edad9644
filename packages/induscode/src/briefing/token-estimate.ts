// Rough on purpose: it only ranks what a prompt is spent on. What a request really cost, the provider says.
const CHARS_PER_TOKEN = 4;

/** About how many tokens a text takes. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
