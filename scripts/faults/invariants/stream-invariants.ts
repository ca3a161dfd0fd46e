import { meSchema } from "@shared/contract/account.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { expectAnswer } from "../harness/api.ts";
import type { FaultHarness } from "../harness/harness.ts";
import { until } from "../harness/until.ts";

const PUSHED_WITHIN_MS = 30_000;

/**
 * The events of each stream count from 1 to its head, each number once. Signals are resolved all the time, so the events
 * are compared with the heads before and after they were read.
 */
export async function streamsHaveNoGaps({ database }: FaultHarness): Promise<string[]> {
  const readHeads = async () => {
    const users = await database.users.find().select({ lastEventSeq: 1 }).lean();
    const shared = await database.streamHeads.find().lean();
    return new Map([
      ...users.map((user): [string, number] => [userStream(user._id), user.lastEventSeq]),
      ...shared.map(({ _id, seq }): [string, number] => [_id, seq]),
    ]);
  };
  const before = await readHeads();
  const events = await database.events
    .find({ seq: { $exists: true } })
    .sort({ stream: 1, seq: 1 })
    .select({ stream: 1, seq: 1 })
    .lean();
  const seqs = new Map<string, (number | undefined)[]>();
  for (const { stream, seq } of events) seqs.set(stream, [...(seqs.get(stream) ?? []), seq]);
  const after = await readHeads();
  return [...new Set([...seqs.keys(), ...after.keys()])].flatMap((stream) => {
    const found = seqs.get(stream) ?? [];
    const fault = faultIn(found);
    if (fault !== undefined) return [`${stream}: ${fault}`];
    const [least = 0, most = 0] = [before.get(stream), after.get(stream)];
    if (least <= found.length && found.length <= most) return [];
    return [`${stream} has ${found.length} events, its head went from ${least} to ${most}`];
  });
}

/** Every open socket got each number of its trader's stream once, in order, up to the last one. */
export async function socketsMissNothing(stage: FaultHarness): Promise<string[]> {
  const faults = await Promise.all(
    stage.traders
      .filter(({ sockets }) => sockets.length > 0)
      .map(async ({ username, userId, token, sockets }) => {
        const { stream_positions } = await expectAnswer(
          { via: stage.servers.a, path: "/me", token },
          meSchema,
        );
        const user = await stage.database.users.findById(userId).lean();
        const last = Math.max(stream_positions.user, user?.lastEventSeq ?? 0);
        const got = await Promise.all(
          sockets.map((socket) => seqsUpTo(last, () => socket.seqs("user"))),
        );
        return got.flatMap((seqs) => {
          const fault =
            faultIn(seqs) ??
            (seqs.length < last ? `has only ${seqs.length} of ${last}` : undefined);
          return fault === undefined ? [] : [`a socket of ${username}: ${fault}`];
        });
      }),
  );
  return faults.flat();
}

/** What has arrived once `last` has, or the time is over. */
async function seqsUpTo(last: number, read: () => number[]): Promise<number[]> {
  await until(() => (read().at(-1) ?? 0) >= last, {
    what: "a push",
    withinMs: PUSHED_WITHIN_MS,
  }).catch(() => undefined);
  return read();
}

/** The first place at which these are not 1, 2, 3 … */
function faultIn(seqs: readonly (number | undefined)[]): string | undefined {
  const at = seqs.findIndex((seq, index) => seq !== index + 1);
  return at < 0 ? undefined : `number ${seqs[at]} stands where ${at + 1} should`;
}
