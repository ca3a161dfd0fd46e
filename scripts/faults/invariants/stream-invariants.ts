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
  const seqsOf = new Map<string, (number | undefined)[]>();
  for (const { stream, seq } of events) seqsOf.set(stream, [...(seqsOf.get(stream) ?? []), seq]);
  return [...new Set([...seqsOf.keys(), ...after.keys()])].flatMap((stream) => {
    const seqs = seqsOf.get(stream) ?? [];
    const gap = findGap(seqs);
    if (gap !== undefined) return [`${stream}: ${gap}`];
    const [least = 0, most = 0] = [before.get(stream), after.get(stream)];
    if (least <= seqs.length && seqs.length <= most) return [];
    return [`${stream} has ${seqs.length} events, its head went from ${least} to ${most}`];
  });
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
    const received = sockets.map((socket) => seqsUpTo(last, () => socket.seqs("user")));
    return (await Promise.all(received)).flatMap((seqs) => {
      const gap = findGap(seqs);
      if (gap === undefined && seqs.length >= last) return [];
      return [`a socket of ${username}: ${gap ?? `has only ${seqs.length} of ${last}`}`];
    });
  });
  return (await Promise.all(violations)).flat();
}

async function seqsUpTo(last: number, read: () => number[]): Promise<number[]> {
  const wait = { what: "a push", withinMs: PUSH_TIMEOUT_MS };
  await until(() => (read().at(-1) ?? 0) >= last, wait).catch(() => undefined);
  return read();
}

/** The first position at which the numbers are not 1, 2, 3 … */
function findGap(seqs: readonly (number | undefined)[]): string | undefined {
  const index = seqs.findIndex((seq, at) => seq !== at + 1);
  return index < 0 ? undefined : `number ${seqs[index]} is at position ${index + 1}`;
}
