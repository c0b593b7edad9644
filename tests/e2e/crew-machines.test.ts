// A crew on several machines, with the real command: processes that share nothing but a board in PostgreSQL, asked for by TLS
// and a password. Whoever of them ends, no ticket is lost and none is done twice.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Board, openPostgresBoard } from "../../packages/indusagi/src/swarm/index.ts";
import { connect } from "../../packages/indusagi/src/swarm/postgres/connection.ts";
import { SCHEMA } from "../../packages/indusagi/src/swarm/postgres/schema.ts";
import { certificateFile } from "../support/certificates.ts";
import type { Finished, Workplace } from "../support/indus.ts";
import { LONG_ONLY } from "../support/long-form.ts";
import type { ScriptedTurn } from "../support/model-server.ts";
import { lacksPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { createServedWorkplace } from "../support/served-workplace.ts";
import { openTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";

const MODEL = ["--model", "anthropic/x"] as const;
const PASSWORD = "canary-board-password-71";
const SILENCE: ScriptedTurn = { text: "Never said.", trouble: { kind: "silence", after: 0 } };
const PLAN = `[[ticket]]
key = "look"
title = "do: look"
agent = "researcher"

[[ticket]]
title = "do: change"
agent = "coder"
deps = ["look"]
`;

interface Running {
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Finished>;
}

describe.skipIf(lacksPostgres())("a board that several machines share", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({
      settings: ["listen_addresses = '127.0.0.1'", "ssl = on"],
      access: ["local all all trust", "hostssl all all 127.0.0.1/32 scram-sha-256"],
      files: {
        "server.crt": readFileSync(certificateFile("server.pem"), "utf8"),
        "server.key": readFileSync(certificateFile("server.key"), "utf8"),
      },
    });
    await sql(`ALTER USER ${server.user} PASSWORD '${PASSWORD}'`);
  });
  afterAll(() => server?.stop());

  const here = () => ({ ...server, host: server.socket });
  async function sql(text: string): Promise<void> {
    const { read, close } = await connect(here());
    await read(text);
    await close();
  }
  const leasesEnd = (): Promise<void> =>
    sql(`UPDATE ${SCHEMA}.ticket SET lease_until = now() - interval '1 s'`);
  async function look(name: string): Promise<Board> {
    const board = await openPostgresBoard(here(), name);
    onTestFinished(() => board.close());
    return board;
  }
  const addressOf = (name: string): string =>
    `postgres://${server.user}@localhost:${server.port}/${server.database}?board=${name}&secret=CREW_PASSWORD` +
    `&sslmode=verify-full&sslrootcert=${certificateFile("ca.pem")}`;
  const statuses = async (board: Board): Promise<string> =>
    (await board.list()).map(({ status }) => status).join(" ");

  function start(place: Workplace, args: readonly string[]): Running {
    let child: ChildProcess | undefined;
    const onStart = (started: ChildProcess): void => {
      child = started;
    };
    const ended = place.run(args, { env: { CREW_PASSWORD: PASSWORD }, deadlineMs: 230_000, onStart });
    onTestFinished(() => void child?.kill("SIGKILL"));
    return { kill: (signal) => void child?.kill(signal), ended };
  }

  it("whoever is killed, a ticket is done once; a worker does what its own person allows, and ends when it is asked to", {
    ...LONG_ONLY,
    timeout: 240_000,
  }, async () => {
    const turns: Record<string, ScriptedTurn[]> = {
      researcher: [SILENCE, { text: "Seen." }],
      coder: [
        SILENCE,
        { calls: [{ name: "bash", input: { command: "touch made" } }] },
        { text: "It was refused." },
      ],
    };
    const asked = { researcher: 0, coder: 0 };
    const place = await createServedWorkplace(({ rawBody }) => {
      const who = rawBody.includes("You are the delegate coder:") ? "coder" : "researcher";
      return turns[who]?.[asked[who]++];
    });
    place.file("plan.toml", PLAN);
    const at = ["--board", addressOf("killed")] as const;
    const board = await look("killed");

    const coordinator = start(place, ["crew", "run", "plan.toml", ...MODEL, ...at]);
    await until(() => asked.researcher === 1);
    coordinator.kill("SIGKILL");
    expect((await coordinator.ended).code).toBeNull();
    expect(await statuses(board)).toBe("claimed open");

    await leasesEnd();
    const researcher = start(place, ["crew", "worker", "researcher", ...MODEL, ...at]);
    const first = start(place, ["crew", "worker", ...MODEL, ...at]);
    await until(() => asked.coder === 1);
    expect(await statuses(board)).toBe("done claimed");
    first.kill("SIGKILL");
    await first.ended;

    await leasesEnd();
    const second = start(place, ["crew", "worker", "coder", "--deny", "bash", ...MODEL, ...at]);
    await until(async () => (await statuses(board)) === "done done");
    expect(place.server.requests.at(-1)?.rawBody).toContain("denies it");
    expect(existsSync(join(place.cwd, "made"))).toBe(false);

    const drained = await start(place, ["crew", "drain", ...at]).ended;
    expect([drained.code, drained.stdout]).toEqual([
      0,
      "every worker of killed stops after its current ticket\n",
    ]);
    const [one, two] = await Promise.all([researcher.ended, second.ended]);
    expect([one.code, one.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^killed: waiting for tickets; members researcher@\S+\n(researcher@\S+) {2}starts {2}do: look\n\1 {2}done {2}do: look: Seen\.\n1 done, 0 failed, 0 left \(1 round\)\n$/,
      ),
    ]);
    expect([two.code, two.stdout]).toEqual([0, expect.stringContaining("do: change: It was refused.\n")]);
    expect(two.stderr).toContain("indus: 1 call was refused:\n  bash: touch made: ");

    const again = await start(place, ["crew", "run", "plan.toml", ...MODEL, ...at]).ended;
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining("plan: 2 tickets, 2 already done; members researcher@"),
    ]);
    expect(asked).toEqual({ researcher: 2, coder: 3 });
    const status = await start(place, ["crew", "status", ...at]).ended;
    expect(status.stdout).toMatch(/^done {5}do: look {2}\(researcher@\S+: Seen\.\)\ndone {5}do: change /);
    const said = JSON.stringify([one, two, again, status, drained]);
    const written = place.logs().map((log) => readFileSync(log, "utf8"));
    expect([said, ...written].filter((text) => text.includes(PASSWORD))).toEqual([]);
  });

  it("whoever runs the plan waits for what others do and says it, also when the database was gone meanwhile", {
    ...LONG_ONLY,
    timeout: 240_000,
  }, async () => {
    const held = Promise.withResolvers<void>();
    const place = await createServedWorkplace(() => ({
      text: "Changed.",
      trouble: { kind: "held", until: held.promise },
    }));
    place.file("plan.toml", '[[ticket]]\ntitle = "do: change"\nagent = "coder"\n');
    const at = ["--board", addressOf("waits")] as const;
    const board = await look("waits");
    await board.post("plan", [{ title: "do: change", agent: "coder" }]);
    const worker = start(place, ["crew", "worker", ...MODEL, ...at]);
    await until(() => place.server.requests.length === 1);
    const coordinator = start(place, ["crew", "run", "plan.toml", ...MODEL, ...at]);
    // Its look at what is claimed comes after it has put its member on the board.
    await until(
      async () =>
        (await board.activity()).flatMap(({ acts }) => acts.filter(({ kind }) => kind === "member_spawned"))
          .length === 2,
    );
    await server.restart();
    held.resolve();
    const { code, stdout } = await coordinator.ended;
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /: 1 ticket, 0 already done; members coder@\S+\ncoder@\S+ {2}done {2}do: change: Changed\.\n/,
      ),
    ]);
    worker.kill("SIGINT");
    expect((await worker.ended).code).toBe(130);
    expect(place.server.requests).toHaveLength(1);
  });

  it(
    "a worker whose key is refused gives its ticket back and ends, and the next one does it",
    LONG_ONLY,
    async () => {
      const refused: ScriptedTurn = { trouble: { kind: "status", status: 401, message: "bad key" } };
      const place = await createServedWorkplace((_request, at) =>
        at === 0 ? refused : { text: "Changed." },
      );
      place.file("plan.toml", '[[ticket]]\ntitle = "one"\n\n[[ticket]]\ntitle = "two"\n');
      const at = ["--board", addressOf("unable")] as const;
      const board = await look("unable");
      await board.post("plan", [{ title: "one" }, { title: "two" }]);
      const worker = await start(place, ["crew", "worker", ...MODEL, ...at]).ended;
      expect([worker.code, worker.stdout]).toEqual([1, expect.stringContaining("0 done, 0 failed, 2 left")]);
      expect(worker.stderr).toMatch(/coder@\S+ accepts no more tickets: .*refused the key/);
      expect(await statuses(board)).toBe("open open");
      const run = await start(place, ["crew", "run", "plan.toml", ...MODEL, ...at]).ended;
      expect([run.code, await statuses(board)]).toEqual([0, "done done"]);
    },
  );

  it("the table of a run counts for its own members, and shows what a worker elsewhere is at", {
    ...LONG_ONLY,
    timeout: 120_000,
  }, async () => {
    const held = Promise.withResolvers<void>();
    const place = await createServedWorkplace(({ rawBody }) =>
      rawBody.includes("You are the delegate researcher:") && !rawBody.includes("tool_result")
        ? { text: "I look.", calls: [{ name: "ls", input: {} }] }
        : { text: "Done.", trouble: { kind: "held", until: held.promise } },
    );
    place.file("plan.toml", PLAN.replace('deps = ["look"]\n', ""));
    const at = ["--board", addressOf("table")] as const;
    const board = await look("table");
    await board.post("plan", [
      { title: "do: look", agent: "researcher" },
      { title: "do: change", agent: "coder" },
    ]);
    const worker = start(place, ["crew", "worker", "coder", ...MODEL, ...at]);
    await until(() => place.server.requests.length === 1);
    const terminal = openTerminal({
      ...{ console: "none", place, url: place.server.url },
      ...{ args: ["crew", "run", "plan.toml", ...MODEL, ...at], env: { CREW_PASSWORD: PASSWORD } },
    });
    await terminal.waitFor(/▸ researcher@\S+ {2}1 turn, [^\n]*do: look/);
    await terminal.waitFor(/▸ coder@\S+ {2}[^\n,]+ {2}do: change/);
    held.resolve();
    expect(await terminal.left).toBe(0);
    expect(terminal.screen()).not.toContain("▸");
    worker.kill("SIGINT");
    await worker.ended;
  });

  it("who answers is checked, and the password is", LONG_ONLY, async () => {
    const place = await createServedWorkplace(() => undefined);
    const status = async (address: string, password = PASSWORD): Promise<string> =>
      (await place.run(["crew", "status", "--board", address], { env: { CREW_PASSWORD: password } })).stderr;
    const address = addressOf("checked");
    expect(await status(address)).toBe("");
    expect(await status(address.replace(/&sslrootcert=[^&]*/, ""))).toMatch(
      /cannot be used as a board: .*certificate/,
    );
    expect(await status(address, "wrong-password")).toMatch(
      /cannot be used as a board: password authentication failed/,
    );
    expect(await status(address.replace("sslmode=verify-full", "sslmode=disable"))).toMatch(/no encryption/);
    expect(await status(address.replace("&secret=CREW_PASSWORD", ""))).toMatch(
      /asks for a password, and none/,
    );
  });

  it("a result that comes too late is said to be lost", LONG_ONLY, async () => {
    const held = Promise.withResolvers<void>();
    const place = await createServedWorkplace(() => ({
      text: "Changed.",
      trouble: { kind: "held", until: held.promise },
    }));
    const at = ["--board", addressOf("late")] as const;
    const board = await look("late");
    const [ticket] = await board.post("plan", [{ title: "one" }]);
    const worker = start(place, ["crew", "worker", ...MODEL, ...at]);
    await until(() => place.server.requests.length === 1);
    await board.move("person", ticket?.id ?? "", "done");
    await board.send("person", "*", { type: "control", signal: "drain" });
    held.resolve();
    const { code, stderr } = await worker.ended;
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/result of coder@\S+ for "one" is lost: .* no longer valid: it is done\n/),
    ]);
  });

  it(
    "a worker that is stopped while the database is away ends as one that is stopped",
    LONG_ONLY,
    async () => {
      const open: Socket[] = [];
      let [isGone, refused] = [false, 0];
      const between = createServer((near) => {
        if (isGone) {
          refused++;
          near.destroy();
          return;
        }
        const far = createConnection(server.port, "127.0.0.1");
        for (const each of [near, far]) each.on("error", () => undefined);
        near.pipe(far).pipe(near);
        open.push(near, far);
      });
      await once(between.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => void between.close());
      const { port } = between.address() as AddressInfo;
      const at = ["--board", addressOf("away").replace(`:${server.port}/`, `:${port}/`)] as const;
      const place = await createServedWorkplace(() => undefined);
      const board = await look("away");
      const worker = start(place, ["crew", "worker", ...MODEL, ...at]);
      await until(async () => (await board.activity()).length > 0);
      isGone = true;
      for (const each of open) each.destroy();
      await until(() => refused > 0);
      worker.kill("SIGINT");
      const { code, stderr } = await worker.ended;
      expect([code, stderr]).toEqual([130, expect.stringContaining("cannot be used as a board: ")]);
    },
  );

  it("a board that nobody has used is said to be one", LONG_ONLY, async () => {
    const place = await createServedWorkplace(() => undefined);
    const at = ["--board", addressOf("typo")] as const;
    const status = await start(place, ["crew", "status", ...at]).ended;
    expect([status.code, status.stdout]).toEqual([0, "no tickets on this board yet\n"]);
    const drain = await start(place, ["crew", "drain", ...at]).ended;
    expect([drain.code, drain.stderr]).toEqual([
      1,
      expect.stringContaining("no crew has ever worked on the board typo: "),
    ]);
  });
});
