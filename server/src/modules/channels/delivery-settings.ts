import type { DeliverySettingsChoice } from "@shared/contract/channels.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import type { ServerDeps } from "../../server-deps.ts";

export const presentDeliverySettings = ({
  passesOnSince,
}: Pick<UserRecord, "passesOnSince">): DeliverySettingsChoice => ({
  pass_on: passesOnSince !== undefined,
});

/** Only messages of events from then on are passed on. */
export async function setDeliverySettings(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  { _id }: Pick<UserRecord, "_id">,
  setting: DeliverySettingsChoice,
): Promise<DeliverySettingsChoice> {
  await (setting.pass_on
    ? database.users.updateOne(
        { _id, passesOnSince: { $exists: false } },
        { $set: { passesOnSince: now() } },
      )
    : database.users.updateOne({ _id }, { $unset: { passesOnSince: 1 } }));
  return setting;
}

/** Remembers which problems of their channels the user has seen, and says so in their other tabs and devices. */
export function markProblemsSeen(
  { database, now }: Pick<ServerDeps, "database" | "now">,
  { _id }: Pick<UserRecord, "_id">,
  until: Date,
): Promise<void> {
  const stream = userStream(_id);
  return commit(database, { lockKeys: stream, now }, async ({ session, at, addEvent }) => {
    // A problem that is still to come cannot have been seen.
    const seenAt = until < at ? until : at;
    const { modifiedCount } = await database.users.updateOne(
      { _id, channelProblemsSeenAt: { $not: { $gte: seenAt } } },
      { $set: { channelProblemsSeenAt: seenAt } },
      { session },
    );
    if (modifiedCount === 0) return;
    addEvent(stream, "channel-problems:seen", { until: seenAt.toISOString() });
  });
}
