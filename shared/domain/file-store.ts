import { randomBytes } from "node:crypto";
import { CHART_IMAGE_DAYS, DAY_MS } from "@shared/contract/constants.ts";
import type { ChartImage, ImageType } from "@shared/contract/files.ts";
import { commit, type UnitOfWork } from "@shared/outbox/commit.ts";
import { ADMINS_STREAM } from "@shared/outbox/streams.ts";
import type { Types } from "mongoose";
import type { Database } from "../database/database.ts";
import { FILE_KINDS, type FileKind, fileStore } from "../database/file-bytes.ts";
import type { ChartImageRecord } from "../database/models/signal.ts";

const EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
} as const satisfies Record<ImageType, string>;

/** 128 random bits and an extension. */
const FILENAME = /^[0-9a-f]{32}\.(?:png|jpg|webp)$/;

/** A name that cannot be guessed. */
export function newFilename(contentType: ImageType): string {
  return `${randomBytes(16).toString("hex")}.${EXTENSIONS[contentType]}`;
}

export const isFilename = (text: string): boolean => FILENAME.test(text);

/** The path of a file, without host and signature. */
export const filePath = (kind: FileKind, filename: string): string => `/${kind}/${filename}`;

/** A chart image in events. `url` is the path without a signature. */
export function presentChartImage(
  image: Pick<ChartImageRecord, "filename" | "size" | "createdAt" | "username">,
): ChartImage {
  return {
    filename: image.filename,
    size: image.size,
    modified: image.createdAt.toISOString(),
    url: filePath("chart_uploads", image.filename),
    username: image.username,
  };
}

/** Deletes chart images and their bytes, in the caller's transaction, and notifies the administrators. */
export async function removeChartImages(
  database: Database,
  uow: UnitOfWork,
  images: readonly ChartImageRecord[],
): Promise<void> {
  if (images.length === 0) return;
  const ids = images.map((image) => image._id);
  await database.chartImages.deleteMany({ _id: { $in: ids } }, { session: uow.session });
  await fileStore(database, "chart_uploads").remove(ids, uow.session);
  for (const image of images) {
    uow.addEvent(ADMINS_STREAM, "chart-image:deleted", presentChartImage(image));
  }
}

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
