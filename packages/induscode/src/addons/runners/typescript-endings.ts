/** What a file of TypeScript ends with. */
export const TYPESCRIPT: readonly string[] = [".ts", ".tsx", ".mts", ".cts"];
