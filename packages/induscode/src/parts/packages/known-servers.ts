// MCP servers that keep their state next to their own files unless a variable names another place: here nothing can be written there.

/** The variables that such a server needs, by the name of its package. */
const KNOWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // A relative path would be next to its program, too.
  "@modelcontextprotocol/server-memory": { MEMORY_FILE_PATH: `\${HOME}/memory.jsonl` },
};

/** Variables that a package's server gets if nobody sets them; none for most. */
export function knownVariables(packageName: string): Readonly<Record<string, string>> {
  return Object.hasOwn(KNOWN, packageName) ? (KNOWN[packageName] ?? {}) : {};
}
