import { meSchema } from "@shared/contract/account.ts";
import type { Database } from "@shared/database/database.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { expectAnswer } from "@shared/testing/call-api.ts";
import type { FaultHarness } from "../harness/harness.ts";
import { until } from "../harness/until.ts";

const PUSH_TIMEOUT_MS = 30_000;

/**
 * The events of each stream have the numbers from 1 to its head, each once. Events are added all the time, so they are
 * compared with the heads before and after they were read.
 */
export async function streamsHaveNoGaps({ database }: FaultHarness): Promise<string[]> {
  const before = await readHeads(database);
  const events = await database.events
    .find({ seq: { $exists: true } })
    .sort({ stream: 1, seq: 1 })
    .lean();
  const after = await readHeads(database);
  const lastOf = new Map<string, number>();
  const violations: string[] = [];
  for (const { stream, seq = 0 } of events) {
    const last = lastOf.get(stream) ?? 0;
    if (seq !== last + 1) violations.push(`${stream}: ${seq} follows ${last}`);
    lastOf.set(stream, seq);
  }
  for (const stream of new Set([...lastOf.keys(), ...after.keys()])) {
    const [least = 0, last = 0, most = 0] = [before, lastOf, after].map((map) => map.get(stream));
    if (least <= last && last <= most) continue;
    violations.push(`${stream} ends with ${last}, its head went from ${least} to ${most}`);
  }
  return violations;
}

async function readHeads(database: Database): Promise<Map<string, number>> {
  const users = await database.users.find().select({ lastEventSeq: 1 }).lean();
  const heads = await database.streamHeads.find().lean();
  return new Map([
    ...users.map((user) => [userStream(user._id), user.lastEventSeq] as const),
    ...heads.map(({ _id, seq }) => [_id, seq] as const),
  ]);
}

/** Every open socket received each number of its trader's stream once, in order, up to the last one. */
export async function socketsMissNothing(harness: FaultHarness): Promise<string[]> {
  const traders = harness.traders.filter(({ sockets }) => sockets.length > 0);
  const violations = traders.map(async ({ username, userId, token, sockets }) => {
    const me = await expectAnswer(meSchema, `${harness.servers.a.url}/me`, { token });
    const user = await harness.database.users.findById(userId).lean();
    const last = Math.max(me.stream_positions.user, user?.lastEventSeq ?? 0);
    const wait = { what: `event ${last} on a socket of ${username}`, withinMs: PUSH_TIMEOUT_MS };
    const checks = sockets.map(async (socket) => {
      await until(() => (socket.seqs("user").at(-1) ?? 0) >= last, wait);
      const seqs = socket.seqs("user");
      const isComplete = seqs.every((seq, index) => seq === index + 1);
      return isComplete ? [] : [`a socket of ${username} received ${seqs}`];
    });
    return (await Promise.all(checks)).flat();
  });
  return (await Promise.all(violations)).flat();
}
