// `indus mcp login` and `logout`: the person logs in at a server's authorization server with a browser. The address is printed, never
// opened; the answer comes to a port of this machine.

import type { AuthOptions } from "@modelcontextprotocol/client";
import { describeError, printable } from "indusagi/core";
import { readManifest } from "../../addons/kinds/declarative-loader.ts";
import { openCallback } from "../../addons/kinds/login-callback.ts";
import { guardedFetch, loginFetch, loginProvider, newLogin } from "../../addons/kinds/server-login.ts";
import { LOGIN_VARIABLE } from "../../addons/process/protocol/login-variable.ts";
import type { Invocation } from "../../cli/invocation.ts";
import { EXIT_FAULT, EXIT_OK, Problem } from "../../cli/problem.ts";
import { indusHome } from "../../store/home.ts";
import { type LoginPlace, readLogin, storeLogin } from "../../store/server-logins.ts";
import { serverCalled } from "./server-called.ts";

export async function logIn(name: string, line: Invocation): Promise<number> {
  const place = await placeOf(name, line);
  const { auth, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const callback = await openCallback();
  try {
    const asked = await guardedFetch(place.url)(place.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    await asked.body?.cancel();
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(asked);
    const { redirectUrl, state } = callback;
    const login = newLogin(); // a client that was registered for another port is of no use
    const provider = loginProvider(login, { redirectUrl, state, redirect: say });
    // The address that the person opens has the client's id, and a server may make that of the same number as the client's secret.
    const hide = (secret: string): void => void line.secrets.add(LOGIN_VARIABLE, secret, { isWhole: true });
    const how: AuthOptions = { serverUrl: place.url, fetchFn: loginFetch(place.url, hide) };
    if (resourceMetadataUrl !== undefined) how.resourceMetadataUrl = resourceMetadataUrl;
    if (scope !== undefined) how.scope = scope;
    await auth(provider, how);
    const { code, iss } = await callback.answer;
    how.authorizationCode = code;
    if (iss !== undefined) how.iss = iss;
    await auth(provider, how);
    await storeLogin(place, login.read());
    process.stdout.write(`Logged in at ${new URL(place.url).host} for ${name}.\n`);
    return EXIT_OK;
  } catch (error) {
    throw new Problem(printable(`the login of ${name} failed: ${describeError(error)}`), EXIT_FAULT);
  } finally {
    callback.close();
  }
}

export async function logOut(name: string, line: Invocation): Promise<number> {
  const place = await placeOf(name, line);
  if (readLogin(place) === undefined) throw new Problem(`${name} has no login`);
  await storeLogin(place, undefined);
  process.stdout.write(
    `Removed the login of ${name}. The login stays valid at the server until you revoke it there.\n`,
  );
  return EXIT_OK;
}

async function placeOf(name: string, line: Invocation): Promise<LoginPlace> {
  const source = await serverCalled(name, line);
  const { run } = (await readManifest(source)).descriptor;
  if (run?.kind !== "mcp" || !("url" in run.server))
    throw new Problem(`${name} is not reached over HTTP: a login is for servers with an address`);
  return { home: indusHome(line.env), root: source.root, url: run.server.url };
}

function say(url: URL): void {
  process.stdout.write(
    `To log in at ${printable(url.host)}, open this address in your browser, within 5 minutes:\n\n  ${printable(url.href)}\n\n`,
  );
}
