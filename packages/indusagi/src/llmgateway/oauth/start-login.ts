import type { BrowserLogin, BrowserLoginOptions } from "./browser-login.ts";

/** Listens for the browser's answer, with code loaded only for a login. Rejects if listening is not possible here. */
export async function startBrowserLogin(options: BrowserLoginOptions): Promise<BrowserLogin> {
  return (await import("./browser-login.ts")).listenForBrowser(options);
}
