import { setTimeout as delay } from "node:timers/promises";
import {
  type ChannelKind,
  channelKindSchema,
} from "@shared/contract/channel-kinds/channel-kinds.ts";
import { CHANNEL_ENTRIES } from "@shared/contract/events/event-table.ts";
import { ChangeFeed } from "@shared/database/change-feed.ts";
import { DELIVERY_CONTROL_ID } from "@shared/database/models/channel.ts";
import { wakeChannels } from "@shared/domain/channels.ts";
import { ADMINS_STREAM, userIdOf } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import { z } from "zod";
import { claimChannels, type LeasedChannel, wakeLateChannels } from "./channel-leases.ts";
import type { DeliveryDeps } from "./channel-sender.ts";
import { deliverChannel } from "./deliver-channel.ts";

/** Channels of each kind that one worker works on at once. Half of them may be failing. */
const MAX_IN_FLIGHT = 100;

/** For what becomes due by the clock. Events are noticed at once. */
const POLL_INTERVAL_MS = 1_000;

/** After a failure, as while the database is away. */
const RETRY_DELAY_MS = 1_000;

/** Events of this time are noticed together. */
const WAKE_DELAY_MS = 100;

/** Channels that become free within this time are replaced together. */
const MIN_PAUSE_MS = 10;

/** Delivers events to channels until it is stopped. Any number of workers share the channels. */
export async function startDelivery(deps: DeliveryDeps): Promise<{ stop: () => Promise<void> }> {
  const loop = new DeliveryLoop(deps);
  const waker = new Waker(deps, () => loop.wake());
  await waker.start();
  const running = loop.run();
  return {
    async stop() {
      await waker.stop();
      loop.stop();
      await running;
    },
  };
}

const streamSchema = z.object({ stream: z.string() });
const eventSchema = streamSchema.extend({ recipients: z.array(streamSchema).optional() });

/** Makes channels due when their streams get events. What it misses is found when its feed opens, or soon after a failure. */
class Waker {
  readonly #deps: DeliveryDeps;
  readonly #onWoken: () => void;
  readonly #feed: ChangeFeed;
  #streams = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(deps: DeliveryDeps, onWoken: () => void) {
    this.#deps = deps;
    this.#onWoken = onWoken;
    this.#feed = new ChangeFeed({
      database: deps.database,
      logger: deps.logger,
      collection: "events",
      match: { name: { $in: CHANNEL_ENTRIES.map(({ name }) => name) } },
      fields: ["stream", "recipients.stream"],
      onWrite: (event) => this.#add(eventSchema.parse(event)),
      onOpen: () => this.#run(() => this.#wakeLate()),
    });
  }

  start = (): Promise<void> => this.#feed.start();

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#feed.stop();
    clearTimeout(this.#timer);
    clearTimeout(this.#retry);
  }

  #add({ stream, recipients = [{ stream }] }: z.infer<typeof eventSchema>): void {
    for (const recipient of recipients) this.#streams.add(recipient.stream);
    this.#timer ??= setTimeout(() => {
      const streams = [...this.#streams];
      this.#streams = new Set();
      this.#timer = undefined;
      this.#run(() => this.#wake(streams));
    }, WAKE_DELAY_MS);
  }

  /** @param work returns whether channels may be due */
  #run(work: () => Promise<boolean>): void {
    const { logger } = this.#deps;
    work()
      .then((isDue) => isDue && this.#onWoken())
      .catch((error: unknown) => {
        if (this.#isStopped) return;
        logger.warn({ err: error }, "channels could not be woken, trying again");
        this.#retry ??= setTimeout(() => {
          this.#retry = undefined;
          this.#run(() => this.#wakeLate());
        }, RETRY_DELAY_MS);
      });
  }

  async #wakeLate(): Promise<boolean> {
    const { database, readTime } = this.#deps;
    return (await wakeLateChannels(database, await readTime())) > 0;
  }

  async #wake(streams: readonly string[]): Promise<boolean> {
    const { database, readTime } = this.#deps;
    const userIds = streams.flatMap((stream) => userIdOf(stream) ?? []);
    const ofUsers = { userId: { $in: userIds.map((id) => new Types.ObjectId(id)) }, enabled: true };
    const ofAdmins = { afterAdminSeq: { $gte: 0 }, enabled: true };
    const hasChannels = userIds.length > 0 && (await database.channels.exists(ofUsers)) !== null;
    const concernsAdmins = streams.includes(ADMINS_STREAM);
    // Most users have no channel.
    if (!hasChannels && !concernsAdmins) return false;
    const at = await readTime();
    if (hasChannels) await wakeChannels(database, ofUsers, { at });
    if (concernsAdmins) await wakeChannels(database, ofAdmins, { at });
    return true;
  }
}

/** Works on channels that are due. Each kind has places of its own, so that none waits for the receivers of another. */
class DeliveryLoop {
  readonly #deps: DeliveryDeps;
  readonly #kinds: ChannelKind[];
  readonly #running = new Map<LeasedChannel, Promise<void>>();
  readonly #stopping = new AbortController();
  #wakeUp: (() => void) | undefined;
  #isWoken = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#kinds = channelKindSchema.options.filter((kind) => deps.senders[kind]);
  }

  wake(): void {
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  stop(): void {
    this.#stopping.abort();
    this.wake();
  }

  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isWoken = false;
      await this.#startDue().catch((error: unknown) => {
        this.#deps.logger.warn({ err: error }, "channels could not be claimed");
      });
      await this.#pause();
    }
    await Promise.all(this.#running.values());
  }

  async #pause(): Promise<void> {
    await delay(MIN_PAUSE_MS);
    if (this.#isWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL_MS);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #startDue(): Promise<void> {
    const { database, readTime, workerId } = this.#deps;
    const control = await database.deliveryControl.findById(DELIVERY_CONTROL_ID).lean();
    if (control?.paused) return;
    const at = await readTime();
    for (const kind of this.#kinds) {
      const { isReady, maxInFlight = MAX_IN_FLIGHT } = this.#deps.senders[kind] ?? {};
      if (isReady?.() === false) continue;
      const mine = [...this.#running.keys()].filter((channel) => channel.kind === kind);
      const limit = maxInFlight - mine.length;
      if (limit <= 0) continue;
      const failing = mine.filter(({ isFailing }) => isFailing).length;
      const healthyOnly = failing >= maxInFlight / 2;
      const options = { kind, limit, at, workerId, healthyOnly };
      for (const channel of await claimChannels(database, options)) this.#start(channel);
    }
  }

  /** A channel whose work fails, as while the database is away, is due again when its lease ends. */
  #start(channel: LeasedChannel): void {
    const { logger } = this.#deps;
    const work = deliverChannel(this.#deps, channel, this.#stopping.signal)
      .catch((error: unknown) => {
        logger.warn({ err: error, channelId: channel._id }, "a channel is left for later");
      })
      .finally(() => {
        this.#running.delete(channel);
        this.wake();
      });
    this.#running.set(channel, work);
  }
}
