import { expect, test } from "vitest";
import { createSecrets } from "../../cli/secrets.ts";
import { readBoardAddress } from "./board-address.ts";

const read = (text: string, env: NodeJS.ProcessEnv = {}) =>
  readBoardAddress(text, { env, secrets: createSecrets(), startedIn: "/" });

test("an address says where the database is, as whom it is asked, and which board of it is meant", () => {
  expect(read("postgres://ada@db.example:6000/work?board=plans")).toEqual({
    place: { host: "db.example", port: 6_000, database: "work", user: "ada", tls: {} },
    name: "plans",
  });
  expect(read("postgresql://ada@%2Frun%2Fpg/work")).toEqual({
    place: { host: "/run/pg", port: 5_432, database: "work", user: "ada" },
    name: "crew",
  });
  expect(read("postgres:///work?host=/run/pg&user=ada").place).toMatchObject({
    host: "/run/pg",
    user: "ada",
  });
});

test.each(["db.example", "10.0.0.1", "127.0.0.1.example", "[2001:db8::1]", "localhost.example"])(
  "who answers at %s is checked, whatever else is asked for",
  (host) => {
    expect(read(`postgres://a@${host}/d`).place.tls).toEqual({});
    for (const mode of ["disable", "allow", "prefer", "require", "verify-ca"])
      expect(() => read(`postgres://a@${host}/d?sslmode=${mode}`)).toThrow(
        /^--board: sslmode=\S+ (sends|does).*: expected verify-full$/,
      );
  },
);

test.each(["localhost", "127.0.0.1", "[::1]", "%2Ftmp"])("on this machine, at %s, it need not be", (host) => {
  expect(read(`postgres://a@${host}/d`).place.tls).toBeUndefined();
  expect(read(`postgres://a@${host}/d?sslmode=verify-full`).place.tls).toEqual({});
});

test("a password is a secret that the address names: in the address it is refused, and nothing shows it", () => {
  const secrets = createSecrets();
  const line = { env: { CREW: "hunter2-hunter2" }, secrets, startedIn: "/" };
  expect(readBoardAddress("postgres://a@h/d?secret=CREW", line).place.password?.()).toBe("hunter2-hunter2");
  expect(secrets.text("it is hunter2-hunter2")).not.toContain("hunter2");
  expect(() => read("postgres://a@h/d?secret=CREW")).toThrow(
    "its secret is the variable CREW, which is not set",
  );
  try {
    read("postgres://a:hunter2-hunter2@h/d");
    expect.unreachable();
  } catch (error) {
    expect(String(error)).toContain("an address must not contain a password");
    expect(String(error)).not.toContain("hunter2");
  }
});

test.each([
  ["crew", "expected an address such as postgres://HOST/DATABASE"],
  ["mysql://a@h/d", "expected an address such as postgres://HOST/DATABASE"],
  ["postgres://a@h", "the database is missing"],
  ["postgres:///d", "the host is missing"],
  ["postgres:///d?host=", "the host is missing"],
  ["postgres://a%zz@h/d", '"a%zz" is not percent-encoded; write a percent sign as %25'],
  ["postgres://a@h/d?borad=x", 'unknown parameter "borad"; did you mean board?'],
  ["postgres://a@h/d?sslrootcert=/none.pem", "the certificate /none.pem cannot be read: "],
])("%s is refused: %s", (address, said) => {
  expect(() => read(address)).toThrow(`--board: ${said}`);
});
