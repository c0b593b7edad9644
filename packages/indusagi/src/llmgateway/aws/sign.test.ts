// The signatures from AWS's own published test suite (aws-sig-v4-test-suite).

import { expect, test } from "vitest";
import { signAws, type ToSign } from "./sign.ts";

const CREDENTIALS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const REQUEST: ToSign = {
  method: "GET",
  url: new URL("https://example.amazonaws.com/"),
  headers: {},
  body: [],
  service: "service",
  region: "us-east-1",
  nowMs: Date.parse("2015-08-30T12:36:00Z"),
};
const FORM = { "content-type": "application/x-www-form-urlencoded" };

test.each<[string, Partial<ToSign>, string]>([
  ["get-vanilla", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  [
    "get-vanilla-query-order-key-case",
    { url: new URL("https://example.amazonaws.com/?Param2=value2&Param1=value1") },
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  ["post-vanilla", { method: "POST" }, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  [
    "post-x-www-form-urlencoded",
    { method: "POST", headers: FORM, body: ["Param1=", "value1"] },
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  ],
])("%s", (_, request, signature) => {
  const { authorization, ...headers } = signAws({ ...REQUEST, ...request }, CREDENTIALS);
  expect(authorization).toContain(`Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request`);
  expect(/Signature=(\w+)/.exec(authorization ?? "")?.[1]).toBe(signature);
  expect(headers).toEqual({ "x-amz-date": "20150830T123600Z" });
});

test("a session's token is sent and signed", () => {
  const headers = signAws(REQUEST, { ...CREDENTIALS, sessionToken: "token" });
  expect(headers["x-amz-security-token"]).toBe("token");
  expect(headers.authorization).toContain("SignedHeaders=host;x-amz-date;x-amz-security-token,");
});
