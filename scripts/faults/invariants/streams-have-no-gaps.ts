import { meSchema } from "@shared/contract/account.ts";
import { userStream } from "@shared/node/streams.ts";
import { expectAnswer } from "../stage/api.ts";
import type { Stage } from "../stage/stage.ts";
import { until } from "../until.ts";

const PUSHED_WITHIN_MS = 30_000;

/**
 * In the log, each stream counts from 1 to its counter, each number once. Signals are judged all the time, so the log is
 * compared with the counters before and after it was read.
 */
export async function streamsHaveNoGaps({ database }: Stage): Promise<string[]> {
  const readCounters = async () =>
    new Map(
      (await database.streamHeads.find({ head: { $exists: true } }).lean()).map(({ _id, head }) => [
        _id,
        head,
      ]),
    );
  const before = await readCounters();
  const events = await database.events
    .find({ seq: { $exists: true } })
    .sort({ stream: 1, seq: 1 })
    .select({ stream: 1, seq: 1 })
    .lean();
  const seqs = new Map<string, (number | undefined)[]>();
  for (const { stream, seq } of events) seqs.set(stream, [...(seqs.get(stream) ?? []), seq]);
  const after = await readCounters();
  return [...new Set([...seqs.keys(), ...after.keys()])].flatMap((stream) => {
    const found = seqs.get(stream) ?? [];
    const fault = faultIn(found);
    if (fault !== undefined) return [`${stream}: ${fault}`];
    const [least = 0, most = 0] = [before.get(stream), after.get(stream)];
    if (least <= found.length && found.length <= most) return [];
    return [`${stream} has ${found.length} events, its counter went from ${least} to ${most}`];
  });
}

/** Every open socket got each number of its trader's stream once, in order, up to the last one. */
export async function socketsMissNothing(stage: Stage): Promise<string[]> {
  const faults = await Promise.all(
    stage.traders
      .filter(({ sockets }) => sockets.length > 0)
      .map(async ({ username, userId, token, sockets }) => {
        const { stream_positions } = await expectAnswer(
          { via: stage.servers.a, path: "/me", token },
          meSchema,
        );
        const counter = await stage.database.streamHeads.findById(userStream(userId)).lean();
        const last = Math.max(stream_positions.user, counter?.head ?? 0);
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
