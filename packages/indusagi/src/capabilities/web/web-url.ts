// Checks a URL before its host is looked up. Everything is decided on the parsed URL, which is also what is dialled:
// decimal, octal, hexadecimal and full-width spellings of an address have become plain addresses by then.

/** Far above real links; keeps a hostile one out of logs and parsers. */
const MAX_URL_CHARS = 8_192;

/** An http(s) URL that can be requested, or what is wrong with `text` and what to do. Never throws. */
export function parseWebUrl(text: string, base?: URL): URL | string {
  const told = withoutCredentials(text);
  const shown = `"${told.length > SHOWN_CHARS ? `${told.slice(0, SHOWN_CHARS)}…` : told}"`;
  if (text.length > MAX_URL_CHARS) return `The URL ${shown} is longer than ${MAX_URL_CHARS} characters.`;
  // The parser silently drops tabs and newlines, so it would check a different text from the one that was shown.
  if (/[\x00-\x1f\x7f]/.test(text))
    return `The URL ${JSON.stringify(told.slice(0, SHOWN_CHARS))} contains control characters. Remove them.`;
  if (!URL.canParse(text, base?.href))
    return `${shown} is not a URL. Use an absolute one, such as https://example.com/page.`;
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `${shown} cannot be fetched: only http and https are supported.`;
  if (url.username !== "" || url.password !== "")
    return `The URL of ${url.host} contains a user name or a password. Remove it: webfetch sends no credentials.`;
  if (!isWebPort(url.port))
    return `Port ${url.port} of ${url.hostname} is not allowed: only 80, 443 and ports from 1024 up are.`;
  const name = url.hostname.replace(/\.$/, ""); // one spelling for lookup, Host header and certificate
  if (name.split(".").includes("")) return `The host name "${url.hostname}" of ${shown} has an empty label.`;
  url.hostname = name;
  url.hash = "";
  return url;
}

/** A URL, or a text that is none, as a message may show it: with `…` for a user name and a password. */
function withoutCredentials(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]{0,40}:[\\/]*|[\\/]{2})[^\\/?#]*@/i, "$1…@");
}

const SHOWN_CHARS = 200;

// Lower ports belong to other protocols (mail, shells, file services), which an HTTP request must not talk to (WHATWG Fetch,
// "port blocking"). Documentation and tests are served on high ports.
function isWebPort(port: string): boolean {
  return port === "" || port === "80" || port === "443" || Number(port) >= 1024;
}

/** The host as it is looked up and dialled: no brackets around an IPv6 address. */
export function dialledHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}
