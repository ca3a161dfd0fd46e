import { CHART_IMAGE_DAYS } from "@shared/contract/constants.ts";
import { DAY_MS } from "@shared/contract/durations.ts";
import { commit } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import type { ChartImageRecord } from "../database/models/stored-file.ts";
import { removeChartImages } from "./chart-images.ts";
import { FILE_KINDS, type FileKind, fileStore } from "./file-store.ts";

/** Newer bytes may belong to an upload that is not committed yet. */
const MIN_UNKNOWN_AGE_MS = 3_600_000;

const MAX_IMAGES_PER_COMMIT = 20;
const MAX_IDS_PER_QUERY = 500;

interface CleanupOptions {
  database: Database;
  now: () => Date;
  actor?: string;
}

/**
 * Deletes chart images that are older than 30 days or belong to no signal, and bytes that belong to no document, as
 * after a crash during an upload.
 * @returns number of deleted chart images
 */
export async function cleanUpFiles(options: CleanupOptions): Promise<number> {
  const deleted = await removeOutdatedImages(options);
  for (const kind of FILE_KINDS) await removeUnknownBytes(options, kind);
  return deleted;
}

async function removeOutdatedImages({ database, now, actor }: CleanupOptions): Promise<number> {
  let deleted = 0;
  let found: number;
  do {
    found = await commit(
      database,
      { lockKeys: ADMINS_STREAM, now, ...(actor !== undefined && { actor }) },
      async (uow) => {
        const images = await database.chartImages
          .aggregate<ChartImageRecord>(outdatedAt(uow.at))
          .session(uow.session);
        await removeChartImages(database, uow, images);
        const details = { images: images.length };
        if (actor && images.length > 0)
          uow.log({ type: "chart-image:deleted", user: null, details });
        return images.length;
      },
    );
    deleted += found;
  } while (found === MAX_IMAGES_PER_COMMIT);
  return deleted;
}

function outdatedAt(at: Date) {
  const oldest = new Date(at.getTime() - CHART_IMAGE_DAYS * DAY_MS);
  return [
    {
      $lookup: {
        from: "signals",
        localField: "signalId",
        foreignField: "_id",
        pipeline: [{ $project: { _id: 1 } }],
        as: "signal",
      },
    },
    { $match: { $or: [{ createdAt: { $lt: oldest } }, { signal: { $size: 0 } }] } },
    { $limit: MAX_IMAGES_PER_COMMIT },
  ];
}

async function removeUnknownBytes(
  { database, now }: CleanupOptions,
  kind: FileKind,
): Promise<void> {
  const store = fileStore(database, kind);
  const removeUnknown = async (ids: Types.ObjectId[]) => {
    const _id = { $in: ids };
    const found =
      kind === "payment_proofs"
        ? await database.paymentProofs.distinct("_id", { _id })
        : await database.chartImages.distinct("_id", { _id });
    const known = new Set(found.map(String));
    const unknown = ids.filter((id) => !known.has(id.toString()));
    if (unknown.length > 0) await store.remove(unknown);
  };
  let batch: Types.ObjectId[] = [];
  for await (const id of store.idsBefore(new Date(now().getTime() - MIN_UNKNOWN_AGE_MS))) {
    batch.push(id);
    if (batch.length < MAX_IDS_PER_QUERY) continue;
    await removeUnknown(batch);
    batch = [];
  }
  await removeUnknown(batch);
}
