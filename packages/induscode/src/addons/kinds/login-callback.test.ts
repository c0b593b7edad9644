import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openCallback } from "./login-callback.ts";

/** The answer to a request for exactly this. */
async function asked(port: number, path: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  let text = "";
  socket.on("data", (piece: string) => (text += piece));
  await once(socket, "close");
  return text;
}

it("takes the answer with its state, whatever else is asked for before", async () => {
  const { redirectUrl, state, answer, close } = await openCallback();
  onTestFinished(close);
  const { port } = new URL(redirectUrl);
  for (const path of [
    "//",
    "http://",
    "/callback",
    "/callback?state=other&code=x",
    `//callback?state=${state}&code=x`,
  ])
    expect(await asked(Number(port), path)).toMatch(/^HTTP\/1\.1 40[04] /);
  await asked(Number(port), `/callback?state=${state}&code=right`);
  expect(await answer).toEqual({ code: "right", iss: undefined });
});
