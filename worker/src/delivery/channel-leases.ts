import { randomBytes } from "node:crypto";
import {
  type ChannelKind,
  channelKindSchema,
} from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { Database } from "@shared/database/database.ts";
import type { ChannelRecord } from "@shared/database/models/channel.ts";
import { wakeChannels } from "@shared/domain/channels.ts";
import { ADMINS_STREAM, readStreamHead } from "@shared/outbox/streams.ts";
import { Types } from "mongoose";
import { z } from "zod";

/** A crashed worker's channels are taken over after this time: longer than one attempt with its writes. */
export const LEASE_MS = 30_000;

/** A channel that this worker holds, as it was when it was read. */
export interface LeasedChannel extends ChannelRecord {
  leaseId: string;
}

interface ClaimOptions {
  kind: ChannelKind;
  limit: number;
  at: Date;
  workerId: string;
  /** Leaves out channels whose delivery is being retried. */
  healthyOnly: boolean;
}

/** Takes the leases of channels that are due, the longest due first. Others may take some of them meanwhile. */
export async function claimChannels(
  database: Database,
  { kind, limit, at, workerId, healthyOnly }: ClaimOptions,
): Promise<LeasedChannel[]> {
  const { channels } = database;
  const isDue = { kind, dueAt: { $lte: at }, ...(healthyOnly && { isFailing: false }) };
  const found = await channels
    .find(isDue)
    .select({ _id: 1 })
    .sort({ dueAt: 1 })
    .limit(limit)
    .lean();
  if (found.length === 0) return [];
  const ids = { _id: { $in: found.map(({ _id }) => _id) } };
  const leaseId = `${workerId}:${randomBytes(6).toString("hex")}`;
  const lease = { leaseId, dueAt: leaseEnd(at), isWoken: false };
  await channels.updateMany({ ...ids, ...isDue }, { $set: lease });
  const claimed = await channels.find({ ...ids, leaseId }).lean();
  return claimed.map((channel) => ({ ...channel, leaseId }));
}

const leaseEnd = (at: Date): Date => new Date(at.getTime() + LEASE_MS);

type Lease = Pick<LeasedChannel, "_id" | "leaseId">;

/** Renews a lease that would not outlast another attempt. @returns null if it was lost */
export async function renewLease(
  database: Database,
  channel: LeasedChannel,
  at: Date,
): Promise<LeasedChannel | null> {
  const { _id, leaseId } = channel;
  if (channel.dueAt && channel.dueAt.getTime() - at.getTime() > LEASE_MS / 2) return channel;
  const dueAt = leaseEnd(at);
  const { matchedCount } = await database.channels.updateOne({ _id, leaseId }, { $set: { dueAt } });
  return matchedCount === 1 ? { ...channel, dueAt } : null;
}

/** Ends a lease. The channel is due again at `dueAt`, or now if something happened meanwhile. */
export async function releaseChannel(
  database: Database,
  { _id, leaseId }: Lease,
  { at, dueAt, ...state }: { at: Date; dueAt: Date | null; isFailing?: boolean; heldSince?: Date },
): Promise<void> {
  const release = { leaseId: null, isWoken: false, dueAt: { $cond: ["$isWoken", at, dueAt] } };
  const pipeline = [{ $set: { ...state, ...release } }];
  await database.channels.updateOne({ _id, leaseId }, pipeline, { updatePipeline: true });
}

const lateSchema = z.array(z.object({ _id: z.instanceof(Types.ObjectId) }));

/** Wakes all channels that are behind their streams, as after a time without workers. */
export async function wakeLateChannels(database: Database, at: Date): Promise<number> {
  const idle = { enabled: true, dueAt: null };
  const adminHead = await readStreamHead(database, ADMINS_STREAM);
  const behindUser = await database.channels.aggregate([
    { $match: { kind: { $in: channelKindSchema.options }, ...idle } },
    { $lookup: { from: "users", localField: "userId", foreignField: "_id", as: "user" } },
    { $match: { $expr: { $lt: ["$afterSeq", { $first: "$user.lastEventSeq" }] } } },
    { $project: { _id: 1 } },
  ]);
  const behindAdmins = await database.channels
    .find({ ...idle, afterAdminSeq: { $gte: 0, $lt: adminHead } })
    .select({ _id: 1 })
    .lean();
  const ids = [...lateSchema.parse(behindUser), ...behindAdmins].map(({ _id }) => _id);
  if (ids.length > 0) await wakeChannels(database, { _id: { $in: ids } }, { at });
  return ids.length;
}
