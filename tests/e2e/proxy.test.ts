// The person's proxy, through the real command: models are asked through it, servers on this machine are not, and a proxy
// that does not work is named without its password.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServedShared } from "../support/served-workplace.ts";

interface Proxy {
  readonly url: string;
  /** `POST http://host/path` or `CONNECT host:port`, in order, with the credentials that came along. */
  readonly asked: readonly string[];
}

/** Hands requests for any host to `target`, and refuses every tunnel. */
async function startProxy(target: string): Promise<Proxy> {
  const asked: string[] = [];
  const note = (what: string, credentials = ""): void =>
    void asked.push(`${what}${credentials && ` ${credentials}`}`);
  const server: Server = createServer((request, response) => {
    note(`${request.method} ${request.url}`, request.headers["proxy-authorization"]);
    const { pathname } = new URL(request.url ?? "");
    const { host: _, "proxy-authorization": __, ...headers } = request.headers;
    const forward = async (): Promise<void> => {
      const body = Buffer.concat(await request.toArray());
      const answer = await fetch(`${target}${pathname}`, {
        method: "POST",
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
        body,
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    forward().catch((error: unknown) => response.destroy(error as Error));
  });
  server.on("connect", (request, socket) => {
    note(`CONNECT ${request.url}`);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

// A name that no machine has: whoever answers for it is the proxy.
const NOWHERE = "http://models.invalid";

describe("a proxy in the environment", () => {
  it("is asked for the model, with its own credentials, and the model's key goes along", async () => {
    const place = await createServedShared([{ text: "through it" }]);
    const proxy = await startProxy(place.server.url);
    const env = { http_proxy: proxy.url.replace("//", "//me:pass@"), ANTHROPIC_BASE_URL: NOWHERE };
    const { code, stdout } = await place.run(["-p", "--model", "anthropic/x", "go"], { env });
    expect([code, stdout]).toEqual([0, "through it\n"]);
    const credentials = `Basic ${Buffer.from("me:pass").toString("base64")}`;
    expect(proxy.asked).toEqual([`POST ${NOWHERE}/v1/messages ${credentials}`]);
  });

  it("is not asked for a server on this machine, nor for what NO_PROXY names", async () => {
    const place = await createServedShared([{ text: "straight" }]);
    const proxy = await startProxy(place.server.url);
    const { stdout } = await place.run(["-p", "--model", "anthropic/x", "go"], {
      env: { HTTP_PROXY: proxy.url },
    });
    expect(stdout).toBe("straight\n");
    const env = { HTTP_PROXY: proxy.url, NO_PROXY: "models.invalid", ANTHROPIC_BASE_URL: NOWHERE };
    const listed = await place.run(["-p", "--model", "anthropic/x", "go"], { env });
    expect(listed.code).toBe(1);
    expect(listed.stderr).not.toMatch(/proxy/i);
    expect(proxy.asked).toEqual([]);
  });

  it("is also that of ALL_PROXY, and an address without a scheme is one of http", async () => {
    const place = await createServedShared([{ text: "one" }, { text: "two" }]);
    const proxy = await startProxy(place.server.url);
    for (const name of ["ALL_PROXY", "http_proxy"]) {
      const env = { [name]: proxy.url.replace("http://", ""), ANTHROPIC_BASE_URL: NOWHERE };
      expect((await place.run(["-p", "--model", "anthropic/x", "go"], { env })).code).toBe(0);
    }
    expect(proxy.asked).toEqual([`POST ${NOWHERE}/v1/messages`, `POST ${NOWHERE}/v1/messages`]);
  });

  it.each([
    ["socks5://me:very-secret@127.0.0.1:1", "http_proxy has the scheme socks5, which indus does not speak"],
    ["http://", "http_proxy is not a proxy address: expected an address like http://proxy.example:3128"],
  ])("that cannot be used (%s) is refused by name, and nothing is sent past it", async (value, words) => {
    const place = await createServedShared([{ text: "straight" }]);
    const env = { http_proxy: value, ANTHROPIC_BASE_URL: NOWHERE };
    const { code, stderr } = await place.run(["-p", "--model", "anthropic/x", "go"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain("very-secret");
    expect(place.server.requests).toHaveLength(0);
    expect((await place.run(["doctor"], { env })).stdout).toContain(words);
  });

  it("is asked for a tunnel to an https address, and its refusal is a fault that names the variable alone", async () => {
    const place = await createServedShared([]);
    const proxy = await startProxy(place.server.url);
    const env = {
      HTTPS_PROXY: proxy.url.replace("//", "//me:very-secret@"),
      ANTHROPIC_BASE_URL: NOWHERE.replace("http:", "https:"),
    };
    const { code, stderr } = await place.run(["-p", "--model", "anthropic/x", "go"], { env });
    expect(proxy.asked).toEqual(["CONNECT models.invalid:443"]);
    expect(code).toBe(1);
    expect(stderr).toContain("through the proxy in HTTPS_PROXY: ");
    expect(stderr).not.toContain("very-secret");
  });
});
