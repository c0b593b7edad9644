// The members of a board in PostgreSQL, and their messages.

import type { Db } from "pg-boss";
import { nowMs } from "../../core/clock.ts";
import { checkedName, envelopeOf } from "../board-limits.ts";
import type { Board, Envelope } from "../contract.ts";
import type { Step } from "./board-steps.ts";
import { SCHEMA } from "./schema.ts";

const UNREAD = `SELECT seq, envelope FROM ${SCHEMA}.message
  WHERE board = $1 AND (recipient = $2 OR (recipient = '*' AND sender <> $2))
    AND seq > coalesce((SELECT up_to FROM ${SCHEMA}.reader WHERE board = $1 AND name = $2), 0)
  ORDER BY seq`;

/** `read` runs outside of a step. */
export function mailOf(
  board: number,
  step: Step,
  read: Db["executeSql"],
): Pick<Board, "enrol" | "send" | "poll"> {
  return {
    enrol: async (member) => {
      await step(checkedName("member", member), async ({ sql, seq }) => {
        const { rows } = await sql(
          `INSERT INTO ${SCHEMA}.reader AS r (board, name, is_member, up_to) VALUES ($1, $2, true, $3)
           ON CONFLICT (board, name) DO UPDATE SET is_member = true WHERE NOT r.is_member RETURNING 1`,
          [board, member, seq],
        );
        return { acts: rows.length === 0 ? [] : [{ kind: "member_spawned", member }], value: undefined };
      });
    },
    send: async (from, to, body) => {
      const envelope: Envelope = envelopeOf(from, to, body, nowMs());
      return step(from, async ({ sql, seq }) => {
        await sql(`INSERT INTO ${SCHEMA}.message VALUES ($1, $2, $3, $4, $5)`, [
          ...[board, seq, from, to],
          JSON.stringify(envelope),
        ]);
        return { acts: [{ kind: "message_sent", envelope }], value: envelope };
      });
    },
    poll: async (reader) => {
      checkedName("reader", reader);
      if ((await read(UNREAD, [board, reader])).rows.length === 0) return [];
      return step(reader, async ({ sql }) => {
        const { rows } = await sql(UNREAD, [board, reader]);
        if (rows.length === 0) return { acts: [], value: [] };
        const upTo = Number(rows.at(-1)?.seq);
        await sql(
          `INSERT INTO ${SCHEMA}.reader (board, name, up_to) VALUES ($1, $2, $3)
           ON CONFLICT (board, name) DO UPDATE SET up_to = $3`,
          [board, reader, upTo],
        );
        return {
          acts: [{ kind: "messages_read", reader, upTo }],
          value: rows.map(({ envelope }) => envelope as Envelope),
        };
      });
    },
  };
}
