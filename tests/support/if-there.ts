/** Does something to a process that may have ended in the meantime. */
export function ifThere(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

/** Functions of node:os keep the system's code one level deeper. */
function systemCode(error: unknown): string | undefined {
  const { code, info } = error as NodeJS.ErrnoException & { readonly info?: { readonly code?: string } };
  return info?.code ?? code;
}
