import type { ImageType } from "@shared/contract/files.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { Semaphore } from "async-mutex";
import type { Sharp } from "sharp";
import sharp from "sharp";

/** More than any camera or screen needs. 160 MB when decoded. */
const MAX_PIXELS = 40_000_000;

/** Enough to read the small print of a chart or a receipt. */
const MAX_SIDE_PX = 2_560;

const TIME_LIMIT_SECONDS = 15;

/** Each running conversion may need the memory of `MAX_PIXELS` and one thread. */
const conversions = new Semaphore(2);

const ENCODERS = {
  "image/png": (image) => image.png(),
  "image/jpeg": (image) => image.jpeg({ quality: 90 }),
  "image/webp": (image) => image.webp({ quality: 90 }),
} as const satisfies Record<ImageType, (image: Sharp) => Sharp>;

export interface SanitizedImage {
  bytes: Buffer;
  contentType: ImageType;
}

/** Re-encodes an uploaded image, so that only its pixels remain: upright and at most 2,560 pixels per side. */
export async function sanitizeImage(file: Uint8Array): Promise<SanitizedImage> {
  const upload = Buffer.from(file);
  const contentType = imageTypeOf(upload);
  if (!contentType) throw notAnImage();
  return conversions.runExclusive(async () => {
    await assertNotTooManyPixels(upload);
    const upright = openImage(upload, { maxPixels: MAX_PIXELS }).autoOrient();
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

/** Reads only the header, so that a decompression bomb costs nothing. */
async function assertNotTooManyPixels(upload: Buffer): Promise<void> {
  const { width, height } = await openImage(upload).metadata().catch(refuse);
  if (width * height <= MAX_PIXELS) return;
  throw new AppError("file-too-large", "The image has too many pixels. Use at most 40 million.");
}

function refuse(cause: unknown): never {
  throw notAnImage(cause);
}

function notAnImage(cause?: unknown): AppError {
  return new AppError("not-an-image", "The file is not a PNG, JPEG or WebP image.", { cause });
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

function imageTypeOf(bytes: Buffer): ImageType | undefined {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return "image/png";
  if (bytes.subarray(0, 3).equals(JPEG_START)) return "image/jpeg";
  const isWebp =
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
  return isWebp ? "image/webp" : undefined;
}

/** Untrusted files are decoded only by the three decoders that are needed. */
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadPngBuffer", "VipsForeignLoadJpegBuffer", "VipsForeignLoadWebpBuffer"],
});

/** Each image is read once. */
sharp.cache(false);

sharp.concurrency(1);

/** Opens an image; of several frames, the first. */
export function openImage(bytes: Buffer, options: { maxPixels?: number } = {}): Sharp {
  return sharp(bytes, { limitInputPixels: options.maxPixels ?? false, failOn: "error" });
}
