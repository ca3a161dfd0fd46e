import type { ImageType } from "@shared/contract/files.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { Semaphore } from "async-mutex";
import type { Sharp } from "sharp";
import sharp from "sharp";

/** More than any camera or screen that makes files of the allowed size; 160 MB once decoded. */
const MAX_PIXELS = 40_000_000;

/** Enough to read the small print of a chart or a receipt. */
const MAX_SIDE_PX = 2_560;

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
export interface SanitizedImage {
  bytes: Buffer;
  contentType: ImageType;
}

/**
 * Makes a new file from the pixels of an uploaded one. Nothing else of it is left: no metadata, no further frames, nothing
 * that was hidden in or behind the picture. It is turned upright, and made smaller if a side has more than 2,560 pixels.
 * @throws AppError `not-an-image` if it is no PNG, JPEG or WebP that can be decoded, `file-too-large` if it has
 *   more than 40 million pixels
 */
export async function sanitizeImage(file: Uint8Array): Promise<SanitizedImage> {
  const upload = Buffer.from(file);
  const contentType = imageTypeOf(upload);
  if (!contentType) throw notAnImage();
  return inWork.runExclusive(async () => {
    await assertNotTooManyPixels(upload);
    const upright = openImage(upload, { mostPixels: MAX_PIXELS }).autoOrient();
    const sized = upright.resize({
      width: MAX_SIDE_PX,
      height: MAX_SIDE_PX,
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
  if (width * height <= MAX_PIXELS) return;
  throw new AppError("file-too-large", "The picture has too many pixels. Use at most 40 million.");
}

function refuse(cause: unknown): never {
  throw notAnImage(cause);
}

function notAnImage(cause?: unknown): AppError {
  return new AppError("not-an-image", "The file is not a PNG, JPEG or WebP picture.", { cause });
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

/** What a file begins as, whatever it is called; undefined if it is none of the kinds that are taken. */
function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return "image/png";
  if (bytes.subarray(0, 3).equals(JPEG_START)) return "image/jpeg";
  const isWebp =
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
  return isWebp ? "image/webp" : undefined;
}

/** Strangers' files meet the three decoders that they need, and none of the library's many others. */
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadPngBuffer", "VipsForeignLoadJpegBuffer", "VipsForeignLoadWebpBuffer"],
});

/** Each picture is seen once: a cache would only hold memory. */
sharp.cache(false);

/** Threads for one picture; how many pictures are in work is up to the caller. */
sharp.concurrency(1);

/**
 * A PNG, JPEG or WebP, ready to be worked on; of several frames, the first.
 * @param options.mostPixels decoding fails before it begins if the picture has more
 */
export function openImage(bytes: Buffer, options: { mostPixels?: number } = {}): Sharp {
  return sharp(bytes, { limitInputPixels: options.mostPixels ?? false, failOn: "error" });
}
