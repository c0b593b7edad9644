// The door `induscode/sdk`: the same files that the command runs, which load in a fifth of the time of modules one by one.
import { createRequire } from "node:module";

const { loadDoor } = createRequire(import.meta.url)("./product.cjs");

export const { openSession, Problem, query, tool } = loadDoor("sdk.cjs");
