import {
  type ChannelKind,
  channelKindSchema,
} from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { EventData, EventName } from "@shared/contract/events/event-data.ts";
import type { Database } from "@shared/database/database.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import { ChannelSecrets } from "@shared/domain/channel-secrets.ts";
import { commit } from "@shared/outbox/commit.ts";
import { userStream } from "@shared/outbox/streams.ts";
import { createLogger } from "@shared/runtime/logger.ts";
import { claimChannels, wakeLateChannels } from "../delivery/channel-leases.ts";
import type { ChannelSenders, DeliveryDeps } from "../delivery/channel-sender.ts";
import { deliverChannel } from "../delivery/deliver-channel.ts";
import { startWebhooks } from "../delivery/kinds/webhook/webhook-sender.ts";

export const TEST_CHANNEL_SECRET = "a secret of tests, longer than 32 characters";

export type DeliveryStage = ReturnType<typeof deliveryStage>;

/** Delivery with a clock that tests move, step by step instead of in the background. */
export function deliveryStage(database: Database, senders: ChannelSenders = {}) {
  const channelSecrets = new ChannelSecrets(TEST_CHANNEL_SECRET);
  let now = new Date();
  const readTime = async () => now;
  const deps = { ...testDeps(database, channelSecrets, senders), readTime };
  const claim = async (kinds: readonly ChannelKind[], workerId: string) => {
    const options = { limit: 100, at: now, workerId, healthyOnly: false };
    const claimed = await Promise.all(
      kinds.map((kind) => claimChannels(database, { ...options, kind })),
    );
    return claimed.flat();
  };
  return {
    deps,
    database,
    channelSecrets,
    now: () => now,
    pass(ms: number) {
      now = new Date(now.getTime() + ms);
    },
    setTime(time: Date) {
      now = time;
    },
    /** The leases of all channels that are due. */
    claim: (workerId = "worker-1") => claim(channelKindSchema.options, workerId),
    /** Delivers what is due now, also of channels that were not woken. */
    async deliverDue() {
      await wakeLateChannels(database, now);
      for (;;) {
        const claimed = await claim(channelKindSchema.options, "worker-1");
        if (claimed.length === 0) return;
        const { signal } = new AbortController();
        await Promise.all(claimed.map((channel) => deliverChannel(deps, channel, signal)));
      }
    },
    addEvent: <Name extends EventName>(
      to: UserRecord | string,
      name: Name,
      data: EventData<Name>,
    ): Promise<void> => {
      const stream = typeof to === "string" ? to : userStream(to._id);
      return commit(database, { lockKeys: stream, now: () => now }, (uow) => {
        uow.addEvent(stream, name, data);
      });
    },
  };
}

const testDeps = (
  database: Database,
  secrets: ChannelSecrets,
  senders: ChannelSenders,
): DeliveryDeps => ({
  database,
  secrets,
  workerId: "worker-1",
  random: () => 0,
  readTime: async () => new Date(),
  logger: createLogger({ service: "test", level: "silent" }),
  settings: { NODE_ENV: "test", VITE_API_URL: "https://api.example.com" },
  senders: {
    webhook: startWebhooks({
      database,
      policy: { allowPrivate: true },
      settings: { CLIENT_ORIGIN: ["https://app.example.com"] },
    }),
    ...senders,
  },
  metrics: { deliveryAttempted: () => undefined },
});
