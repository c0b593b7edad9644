import { homedir } from "node:os";
import { join } from "node:path";
import { LOCAL_SERVERS } from "indusagi/llmgateway";
import { expect, it } from "vitest";
import { searchLine, searchPage } from "./model-search.ts";

const settingsPath = join(homedir(), ".indus/settings.json");
const servers = LOCAL_SERVERS.map(({ baseUrl }) => ({ baseUrl, models: undefined }));
const nothing = { settingsPath, personHome: homedir(), providers: [], keyed: [], servers };

it("names each place that was looked at, on a page and in one line", () => {
  const page = searchPage(nothing).join("\n");
  const line = searchLine(nothing);
  const places = ["--model", "~/.indus/settings.json", "models.json", "indus auth login", "OPENAI_BASE_URL"];
  const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];
  const ports = [
    "127.0.0.1:11434 (Ollama)",
    "127.0.0.1:8080 (llama.cpp)",
    "127.0.0.1:1234 (LM Studio)",
    "127.0.0.1:8000 (vLLM)",
  ];
  for (const each of [...places, ...keys, ...ports]) {
    expect(page).toContain(each);
    expect(line).toContain(each);
  }
  expect(line).not.toContain("\n");
  expect(line).toContain("indus --rehearse");
  expect(Math.max(...page.split("\n").map((row) => row.length))).toBeLessThanOrEqual(80);
});

it("says what to do about providers without a model, and about a server without one", () => {
  const search = {
    ...nothing,
    providers: ["work", "lab"],
    servers: [{ baseUrl: "http://127.0.0.1:11434/v1", models: [] }, ...servers.slice(1, 2)],
  };
  expect(searchPage(search)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/"providers" there or in models\.json +work, lab: indus --model work\/NAME$/),
      expect.stringMatching(/^ {2}127\.0\.0\.1:11434 \(Ollama\) +answers, but has no model yet$/),
      expect.stringMatching(/^ {2}127\.0\.0\.1:8080 \(llama\.cpp\) +no model server answers$/),
    ]),
  );
  expect(searchLine(search)).toContain(
    "have work, lab but choose no model: --model work/NAME, no provider key (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …; " +
      "indus auth lists them all), no OPENAI_BASE_URL; " +
      "127.0.0.1:11434 (Ollama) has no model yet; no server at 127.0.0.1:8080 (llama.cpp). Set",
  );
});

it("says that no local server is asked where the settings say so", () => {
  const search = { ...nothing, servers: [] };
  expect(searchPage(search).join("\n")).toContain(`not checked: "localServers" there is []`);
  expect(searchLine(search)).toContain("local servers were not checked");
});

it("names a key that is set and cannot choose a model by itself", () => {
  const search = { ...nothing, keyed: [{ id: "together", apiKeyEnv: "TOGETHER_API_KEY" }] };
  expect(searchPage(search)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ {2}TOGETHER_API_KEY +set: indus --model together\/NAME$/),
    ]),
  );
  expect(searchLine(search)).toContain(
    ", TOGETHER_API_KEY has no default model: --model together/NAME, no OPENAI_BASE_URL; ",
  );
});
