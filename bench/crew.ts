// What boards and crews cost: tickets under kills and stops, claims a second, the cost of a claim as a board grows, and the memory
// of members. Prints one table; a missed target is printed plainly. Arguments: names of parts; default: all.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Board } from "../packages/indusagi/src/swarm/index.ts";
import { type BoardWhere, openBoard, runContest } from "../tests/support/board-contest.ts";
import { createWorkplace } from "../tests/support/indus.ts";
import { startModelServer } from "../tests/support/model-server.ts";
import { lacksPostgres, type PostgresServer, startPostgres } from "../tests/support/postgres.ts";
import { clockMs } from "./clock.ts";

const PARTS = ["kills", "claims", "growth", "appends", "members"] as const;
const asked = process.argv.slice(2);
const wanted = (part: (typeof PARTS)[number]): boolean => asked.length === 0 || asked.includes(part);
const folder = mkdtempSync(join(tmpdir(), "indus-crew-"));
const rows: string[] = [];
const row = (figure: string, value: string, target = ""): void => {
  rows.push(`| ${figure} | ${value} | ${target} |`);
  process.stderr.write(`bench: ${figure}: ${value}\n`);
};
let boards = 0;

// As in production: every step is on the disk before it is answered.
const server = lacksPostgres() ? undefined : await startPostgres({ settings: ["fsync = on"] });
try {
  for (const [name, where] of kinds(server)) {
    if (wanted("kills")) await measureKills(name, where());
    if (wanted("appends")) await measureAppends(name, where());
    if (wanted("claims")) for (const workers of [1, 4, 16, 64]) await measureClaims(name, where(), workers);
  }
  if (wanted("growth") && server) await measureGrowth(kinds(server)[1]?.[1] ?? (() => ({ folder })), server);
  if (wanted("members")) await measureMembers();
  if (!server) row("PostgreSQL", "not installed here");
  console.log(`\n| figure | measured | target |\n|---|---|---|\n${rows.join("\n")}`);
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function kinds(postgres: PostgresServer | undefined): readonly (readonly [string, () => BoardWhere])[] {
  const file = (): BoardWhere => ({ folder: join(folder, `board-${++boards}`) });
  if (!postgres) return [["files", file]];
  const place = { ...postgres, host: postgres.socket };
  return [
    ["files", file],
    ["PostgreSQL", () => ({ place, name: `board ${++boards}` })],
  ];
}

/** 1,000 tickets, close to 3,000 dependencies, 8 worker processes, killed and stopped until all is done. */
async function measureKills(name: string, where: BoardWhere): Promise<void> {
  const began = clockMs();
  const end = await runContest({ where, tickets: 1_000, workers: 8, kills: 40, stops: 20, leaseMs: 3_000 });
  const seconds = ((clockMs() - began) / 1_000).toFixed(1);
  const problems = end.problems.length === 0 ? "each once" : end.problems.slice(0, 3).join("; ");
  row(
    `1,000 tickets, 8 processes, ${name}`,
    `${seconds} s, ${problems}, ${end.kills} kills, ${end.stops} stops, readable at ${end.looks} looks`,
    name === "files" ? "< 40 s" : "< 60 s",
  );
}

/** `workers` workers in this process, each with a board of its own, claim and finish until nothing is left. */
async function measureClaims(name: string, where: BoardWhere, workers: number): Promise<void> {
  const tickets = 640;
  const first = await openBoard(where);
  await first.post(
    "bench",
    Array.from({ length: tickets }, (_, at) => ({ title: `t${at}` })),
  );
  const open = await Promise.all(Array.from({ length: workers }, () => openBoard(where)));
  const began = clockMs();
  const costs = (await Promise.all(open.map((board, at) => workOff(board, `w${at}`)))).flat();
  const seconds = (clockMs() - began) / 1_000;
  await Promise.all([first, ...open].map((board) => board.close()));
  row(
    `${workers} workers, ${name}`,
    `${Math.round(tickets / seconds)} claims/s, p99 ${percentile(costs, 0.99)} ms`,
  );
}

/** The duration of each claim, in milliseconds. */
async function workOff(board: Board, member: string): Promise<readonly number[]> {
  const costs: number[] = [];
  for (;;) {
    const began = clockMs();
    const claim = await board.claim(member, { leaseMs: 600_000 });
    if (!claim) return costs;
    costs.push(clockMs() - began);
    await board.finish({ id: claim.ticket.id, token: claim.token }, "done", "");
  }
}

/** Two writers on one board at once, 10,000 steps each. */
async function measureAppends(name: string, where: BoardWhere): Promise<void> {
  const [first, second] = [await openBoard(where), await openBoard(where)];
  const began = clockMs();
  const write = async (board: Board, from: string): Promise<void> => {
    for (let at = 0; at < 10_000; at++) await board.send(from, "x", { type: "note", text: String(at) });
  };
  await Promise.all([write(first, "a"), write(second, "b")]);
  const seconds = (clockMs() - began) / 1_000;
  const steps = await first.activity();
  const gaps = steps.filter(({ seq }, at) => seq !== at + 1).length;
  const read = await second.poll("x");
  const inOrder = ["a", "b"].every((who) =>
    read
      .filter(({ from }) => from === who)
      .every((each, at) => each.type === "note" && each.text === String(at)),
  );
  await Promise.all([first.close(), second.close()]);
  row(
    `two writers, 10,000 steps each, ${name}`,
    `${Math.round(seconds)} s, ${steps.length} steps, ${gaps} gaps, ${read.length} messages read ${inOrder ? "in order" : "OUT OF ORDER"}`,
    "none lost",
  );
}

/** The server's work so far: pages read, rows read, and transactions. */
function serverWork({ socket, port, user, database }: PostgresServer): readonly number[] {
  const query =
    "SELECT blks_hit + blks_read, tup_returned + tup_fetched, xact_commit FROM pg_stat_database WHERE datname = current_database()";
  const words = ["-h", socket, "-p", String(port), "-U", user, "-d", database, "-Atc", query];
  return execFileSync("psql", words, { encoding: "utf8" }).trim().split("|").map(Number);
}

/** 10,000 tickets, 200 workers on 20 connections: the cost of each tenth of the tickets, as finished ones accumulate on the board. */
async function measureGrowth(where: () => BoardWhere, postgres: PostgresServer): Promise<void> {
  const place = where();
  const open = await Promise.all(Array.from({ length: 20 }, () => openBoard(place)));
  const [first = await openBoard(place)] = open;
  for (let part = 0; part < 10; part++)
    await first.post(
      "bench",
      Array.from({ length: 1_000 }, (_, at) => ({ title: `t${part}-${at}` })),
    );
  const marks: number[] = [clockMs()];
  const works: (readonly number[])[] = [serverWork(postgres)];
  let done = 0;
  const work = async (board: Board, member: string): Promise<void> => {
    for (let claim = await board.claim(member, { leaseMs: 600_000 }); claim; ) {
      await board.finish({ id: claim.ticket.id, token: claim.token }, "done", "");
      if (++done % 1_000 === 0) {
        marks.push(clockMs());
        works.push(serverWork(postgres));
      }
      claim = await board.claim(member, { leaseMs: 600_000 });
    }
  };
  await Promise.all(
    open.flatMap((board, at) => Array.from({ length: 10 }, (_, member) => work(board, `w${at}.${member}`))),
  );
  await Promise.all(open.map((board) => board.close()));
  const tenths = marks.slice(1).map((mark, at) => ((mark - (marks[at] ?? mark)) / 1_000).toFixed(1));
  row("10,000 tickets, 200 workers, PostgreSQL: ms a ticket, by tenths", tenths.join(", "), "does not grow");
  // The server's work is a count, which load on the machine does not change.
  for (const [which, name] of ["pages", "rows", "transactions"].entries()) {
    const counts = works
      .slice(1)
      .map((work, at) => (((work[which] ?? 0) - (works[at]?.[which] ?? 0)) / 1_000).toFixed(1));
    row(`the same: ${name} a ticket, by tenths`, counts.join(", "), "does not grow");
  }
}

/** The resident memory of one process while its members wait for their model, for 1 and for 20. */
async function measureMembers(): Promise<void> {
  const sizes: number[] = [];
  for (const members of [1, 20]) sizes.push(await memoryOf(members));
  const [one = 0, twenty = 0] = sizes;
  row(
    "a member beyond the first, of twenty in one process",
    `${((twenty - one) / 19).toFixed(1)} MB (first: ${one.toFixed(0)} MB)`,
    "≤ 15 MB",
  );
}

async function memoryOf(members: number): Promise<number> {
  const held = Promise.withResolvers<void>();
  let waiting = 0;
  const model = await startModelServer(
    () => {
      waiting++;
      return { text: "Seen.", trouble: { kind: "held", until: held.promise } };
    },
    { record: false },
  );
  try {
    const place = createWorkplace(model.url);
    mkdirSync(join(place.home, "agents"), { recursive: true });
    const names = Array.from({ length: members }, (_, at) => `reader${at}`);
    for (const name of names)
      writeFileSync(
        join(place.home, "agents", `${name}.toml`),
        'description = "Reads."\ntools = ["read", "ls"]\nprompt = "Read."\n',
      );
    place.file("plan.toml", names.map((name) => `[[ticket]]\ntitle = "t"\nagent = "${name}"\n`).join("\n"));
    let pid = 0;
    const ended = place.run(["crew", "run", "plan.toml", "--model", "anthropic/x"], {
      onStart: (child) => {
        pid = child.pid ?? 0;
      },
    });
    const isEarly = await Promise.race([ended.then(({ stdout, stderr }) => stdout + stderr), untilWaiting()]);
    if (isEarly !== undefined) throw new Error(`the crew ended: ${isEarly}`);
    const size = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    held.resolve();
    await ended;
    return Number(size) / 1_024;
  } finally {
    held.resolve();
    await model.close();
  }

  async function untilWaiting(): Promise<undefined> {
    while (waiting < members) await new Promise((resolve) => setTimeout(resolve, 50));
    return undefined;
  }
}

function percentile(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
}
