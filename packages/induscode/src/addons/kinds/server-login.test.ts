import { expect, it } from "vitest";
import { guardedFetch } from "./server-login.ts";

it.each([
  ...["http://127.0.0.1:1/", "https://127.0.0.1:1/", "https://localhost:1/", "https://localhost.:1/"],
  ...[
    "https://a.localhost:1/",
    "https://0.0.0.0:1/",
    "https://[::]:1/",
    "https://[::1]:1/",
    "https://2130706433:1/",
  ],
  ...["https://[::ffff:127.0.0.1]:1/", "https://169.254.169.254/", "https://10.0.0.1/", "https://[fd00::1]/"],
  ...["http://example.com/", "file:///etc/passwd", "data:,x"],
])("a login at a server of the internet does not ask %s", async (url) => {
  await expect(guardedFetch("https://mcp.example.com/mcp")(url)).rejects.toThrow(
    /is refused: a login may contact/,
  );
});

it("a server in a network of its own may name another one there, by HTTPS, but not this machine", async () => {
  const asks = guardedFetch("https://10.0.0.1/mcp");
  await expect(asks("http://10.0.0.2/")).rejects.toThrow(/is refused/);
  await expect(asks("https://127.0.0.1:1/")).rejects.toThrow(/is refused/);
  const stopped = { signal: AbortSignal.abort(new Error("asked")) };
  await expect(asks("https://10.0.0.2/", stopped)).rejects.toThrow("asked");
});
