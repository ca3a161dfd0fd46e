import type { Candle } from "@shared/contract/candle.ts";
import type { Judgement } from "@shared/contract/judgement.ts";
import type { Database } from "@shared/node/database.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { PendingSignal } from "./pending-signal.ts";

/** Candles kept with a judged signal at most, the latest of them. */
const MAX_CANDLES = 500;

/**
 * Stores how a signal was judged, with the candles that show it, and tells its user; one whose history was cleared has
 * neither user nor candles. A signal is judged once: what was judged already is left alone, and what was cleared
 * meanwhile is due among the cleared ones.
 * @returns whether it was this call that did it
 */
export function commitJudgement(
  { database, now }: { database: Database; now: () => Date },
  { id, from, userId }: Pick<PendingSignal, "id" | "from" | "userId">,
  { judgement, candles }: { judgement: Judgement; candles: readonly Candle[] },
): Promise<boolean> {
  const lockKeys = userId ? userStream(userId) : id.toString();
  const { outcome, resolved_at } = judgement;
  return commit(database, { lockKeys, now }, async ({ session, at, addEvent }) => {
    const { matchedCount } = await database[from].collection.updateOne(
      { _id: id, status: "completed", outcome: { $exists: false } },
      { $set: { outcome, judgement, updatedAt: at }, $unset: { judgeAt: 1 } },
      { session },
    );
    if (matchedCount === 0) return false;
    if (!userId) return true;
    const shown = candles.slice(-MAX_CANDLES);
    await database.signalSince.create([{ _id: id, candles: shown }], { session });
    addEvent(userStream(userId), "signal:outcome", {
      signal_id: id.toString(),
      outcome,
      resolved_at,
    });
    return true;
  });
}
