import type { BrowserLogin, BrowserLoginOptions } from "./browser-login.ts";

/** Listens for the answer of the person's browser, by what only a login loads. Rejects where nothing may listen here. */
export async function startBrowserLogin(options: BrowserLoginOptions): Promise<BrowserLogin> {
  return (await import("./browser-login.ts")).listenForBrowser(options);
}
