import { expect, it, onTestFinished } from "vitest";
import { createSecrets, maskForOutput } from "./secrets.ts";

function secretsOf(env: Record<string, string>): ReturnType<typeof createSecrets> {
  const secrets = createSecrets(env);
  onTestFinished(secrets.release);
  return secrets;
}

const [ANNS, BENS] = ["anns-key-0123456789", "bens-key-9876543210"];

it("a session hides its own secrets, and the outputs of the process hide those of all (twin: after the release they do not)", () => {
  const ann = secretsOf({ ANN_API_KEY: ANNS });
  const ben = secretsOf({ BEN_API_KEY: BENS });
  const text = `${ANNS} ${BENS}`;
  expect(ann.text(text)).toBe(`[secret ANN_API_KEY] ${BENS}`);
  expect(ben.text(text)).toBe(`${ANNS} [secret BEN_API_KEY]`);
  expect(maskForOutput(text)).toBe("[secret ANN_API_KEY] [secret BEN_API_KEY]");
  ben.release();
  expect(maskForOutput(text)).toBe(`[secret ANN_API_KEY] ${BENS}`);
  ann.release();
  expect(maskForOutput(text)).toBe(text);
});

it("one that a person shows in a session stays hidden in the outputs while another session hides it", () => {
  const ann = secretsOf({ COMMON_API_KEY: ANNS });
  const ben = secretsOf({ COMMON_API_KEY: ANNS });
  ann.learnSettings({ unmaskedSecrets: ["COMMON_API_KEY"] }, {});
  expect([ann.text(ANNS), ben.text(ANNS), maskForOutput(ANNS)]).toEqual([
    ANNS,
    "[secret COMMON_API_KEY]",
    "[secret COMMON_API_KEY]",
  ]);
  ben.learnSettings({ unmaskedSecrets: ["COMMON_API_KEY"] }, {});
  expect(maskForOutput(ANNS)).toBe(ANNS);
});

it("where a secret of one begins like one of another, the longer is hidden whole (twin: one mask after the other leaves its end)", () => {
  const [short, long] = ["begins-alike-01", "begins-alike-01-and-goes-on"];
  const ann = secretsOf({ ANN_API_KEY: short });
  const ben = secretsOf({ BEN_API_KEY: long });
  expect(maskForOutput(long)).toBe("[secret BEN_API_KEY]");
  expect(ben.text(ann.text(long))).toBe("[secret ANN_API_KEY]-and-goes-on");
});

it("why a value cannot be hidden is known to its session alone", () => {
  const ann = secretsOf({});
  const ben = secretsOf({});
  expect(ann.add("SHORT_KEY", "ab")).toBeDefined();
  expect([...ann.unmaskable.keys()]).toEqual(["SHORT_KEY"]);
  expect([...ben.unmaskable.keys()]).toEqual([]);
});
