// @ts-check
// The process that decodes uploaded images, one at a time. It has no secrets, and its memory is limited by who starts it.
import { setPriority } from "node:os";
import process from "node:process";
import { openImage } from "./open-image.mjs";

/** @import { DecoderReply, DecoderRequest } from "./decoder-process.ts" */
/** @import { Sharp } from "sharp" */
/** @import { ImageType } from "@shared/contract/files.ts" */

/** More than any camera or screen needs. */
const MAX_PIXELS = 64_000_000;
const MAX_SIDE_PX = 20_000;

/** Enough to read the small print of a chart or a receipt. */
const KEPT_SIDE_PX = 2_560;
/** Of a long screenshot, whose print would be lost otherwise. */
const KEPT_WIDTH_PX = 700;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

/**
 * @param {Buffer} bytes
 * @returns {ImageType | undefined}
 */
function imageTypeOf(bytes) {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return "image/png";
  if (bytes.subarray(0, 3).equals(JPEG_START)) return "image/jpeg";
  const isWebp =
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
  return isWebp ? "image/webp" : undefined;
}

/** @type {Record<ImageType, (image: Sharp) => Sharp>} */
const ENCODERS = {
  "image/png": (image) => image.png(),
  "image/jpeg": (image) => image.jpeg({ quality: 90 }),
  "image/webp": (image) => image.webp({ quality: 90 }),
};

/**
 * Encodes an image again, so that only its pixels remain. The size is checked in the header, before anything is decoded.
 * @param {DecoderRequest} request
 * @returns {Promise<DecoderReply>}
 */
async function sanitize({ file, maxPixels }) {
  const upload = Buffer.from(file);
  const contentType = imageTypeOf(upload);
  if (!contentType) return { refusal: "not-an-image" };
  const { width, height, autoOrient } = await openImage(upload).metadata();
  if (Math.max(width, height) > MAX_SIDE_PX) return { refusal: "side-too-long" };
  if (width * height > MAX_PIXELS) return { refusal: "too-many-pixels" };
  if (width * height > maxPixels) return { refusal: "not-here" };
  const upright = openImage(upload).autoOrient();
  const sized = upright.resize({ ...keptSize(autoOrient), fit: "fill" });
  return { bytes: await ENCODERS[contentType](sized).toBuffer(), contentType };
}

/** @param {{ width: number, height: number }} size */
function keptSize({ width, height }) {
  const smaller = Math.max(KEPT_SIDE_PX / Math.max(width, height), KEPT_WIDTH_PX / width);
  const scale = Math.min(1, smaller);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/**
 * @param {unknown} error
 * @returns {DecoderReply}
 */
function refusalOf(error) {
  const message = error instanceof Error ? error.message : "";
  return { refusal: /memory/i.test(message) ? "too-costly" : "not-an-image" };
}

setPriority(Number(process.argv[2]));
process.on("disconnect", () => process.exit());
process.on("message", async (/** @type {DecoderRequest} */ request) => {
  process.send?.(await sanitize(request).catch(refusalOf));
});
process.send?.("ready");
