import type { ImageType } from "@shared/contract/files.ts";
import { Semaphore } from "async-mutex";
import type { Sharp } from "sharp";
import { AppError } from "../app-error.ts";
import { imageTypeOf } from "./image-type.ts";
import { openImage } from "./open-image.ts";

/** More than any camera or screen that makes files of the allowed size; 160 MB once decoded. */
const MOST_PIXELS = 40_000_000;

/** Enough to read the small print of a chart or a receipt. */
const LONGEST_SIDE_PX = 2_560;

/** Longest time to decode and encode one picture. */
const TIME_LIMIT_SECONDS = 15;

/** Pictures in work at a time: each may take the memory of `MOST_PIXELS` and one thread. */
const inWork = new Semaphore(2);

const ENCODERS = {
  "image/png": (image) => image.png(),
  "image/jpeg": (image) => image.jpeg({ quality: 90 }),
  "image/webp": (image) => image.webp({ quality: 90 }),
} as const satisfies Record<ImageType, (image: Sharp) => Sharp>;

/** A picture that may be kept and shown. */
export interface TakenInImage {
  bytes: Buffer;
  contentType: ImageType;
}

/**
 * Makes a new file from the pixels of an uploaded one. Nothing else of it is left: no metadata, no further frames, nothing
 * that was hidden in or behind the picture. It is turned upright, and made smaller if a side has more than 2,560 pixels.
 * @throws AppError `not-an-image` if it is no PNG, JPEG or WebP that can be decoded, `file-too-large` if it has
 *   more than 40 million pixels
 */
export async function takeInImage(upload: Buffer): Promise<TakenInImage> {
  const contentType = imageTypeOf(upload);
  if (!contentType) throw notAnImage();
  return inWork.runExclusive(async () => {
    await assertNotTooManyPixels(upload);
    const upright = openImage(upload, { mostPixels: MOST_PIXELS }).autoOrient();
    const sized = upright.resize({
      width: LONGEST_SIDE_PX,
      height: LONGEST_SIDE_PX,
      fit: "inside",
      withoutEnlargement: true,
    });
    const encoded = ENCODERS[contentType](sized).timeout({ seconds: TIME_LIMIT_SECONDS });
    return { bytes: await encoded.toBuffer().catch(refuse), contentType };
  });
}

/** Reads the header only, so that a bomb is turned away before it has cost anything. */
async function assertNotTooManyPixels(upload: Buffer): Promise<void> {
  const { width, height } = await openImage(upload).metadata().catch(refuse);
  if (width * height <= MOST_PIXELS) return;
  throw new AppError("file-too-large", "The picture has too many pixels. Use at most 40 million.");
}

function refuse(cause: unknown): never {
  throw notAnImage(cause);
}

function notAnImage(cause?: unknown): AppError {
  return new AppError("not-an-image", "The file is not a PNG, JPEG or WebP picture.", { cause });
}
