import { SHELL_CASE_SCRIPT, shellCases } from "../../../../../tests/support/shell-cases.ts";
import { localShell } from "./local-shell.ts";
import { memoryShell } from "./memory-shell.ts";
import type { ShellScope } from "./scoped.ts";
import { scopedShell } from "./scoped-shell.ts";

const anything: ShellScope = { mayExecute: () => true, permitsEnv: () => true };

shellCases("localShell", localShell);
shellCases("memoryShell", () => memoryShell(SHELL_CASE_SCRIPT));
shellCases("scopedShell over localShell", () => scopedShell(localShell(), anything));
shellCases("scopedShell over memoryShell", () => scopedShell(memoryShell(SHELL_CASE_SCRIPT), anything));
