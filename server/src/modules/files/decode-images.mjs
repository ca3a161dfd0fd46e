// @ts-check
// The process that decodes uploaded images, one at a time. It has no secrets, and its memory is limited by who starts it.
import { setPriority } from "node:os";
import process from "node:process";
import { openImage } from "./open-image.mjs";
import { readRaster } from "./read-raster.mjs";

/** @import { DecoderReply, DecoderRequest } from "./decoder-process.ts" */
/** @import { Metadata, Sharp } from "sharp" */
/** @import { ImageType } from "@shared/contract/files.ts" */

/** More than any camera or screen needs. */
const MAX_PIXELS = 64_000_000;
const MAX_SIDE_PX = 20_000;

/** Of images that come in several passes and are in memory as a whole: 64 megapixels in a JPEG's usual form, or in RGB. */
const MAX_BYTES_IN_PASSES = 192_000_000;
/** Values of a pixel, by how a JPEG stores its colors. */
const JPEG_VALUES = new Map([
  ["4:2:0", 1.5],
  ["4:2:0:4", 2.5],
  ["4:2:2", 2],
]);
const JPEG_BYTES_PER_VALUE = 2;

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
 * The size is checked in the header, before anything is decoded.
 * @param {DecoderRequest} request
 * @returns {Promise<DecoderReply>}
 */
async function answer({ file, task, maxPixels, memoryKib }) {
  const bytes = Buffer.from(file);
  const contentType = imageTypeOf(bytes);
  if (!contentType) return { refusal: "not-an-image" };
  const header = await openImage(bytes).metadata();
  const { width, height, autoOrient } = header;
  if (Math.max(width, height) > MAX_SIDE_PX) return { refusal: "side-too-long" };
  if (width * height > MAX_PIXELS) return { refusal: "too-many-pixels" };
  if (bytesInPasses(header) > MAX_BYTES_IN_PASSES) return { refusal: "too-large-for-passes" };
  if (width * height > maxPixels) return { refusal: "not-here" };
  try {
    if (task === "raster") return { result: { raster: await readRaster(bytes) } };
    const image = { bytes: await encodeAgain(bytes, { contentType, autoOrient }), contentType };
    const raster = task === "image" ? undefined : await readRaster(image.bytes);
    return { result: { image, raster } };
  } catch (error) {
    return refusalOf(error, width * height * WEBP_BYTES_PER_PIXEL > memoryKib * 1_024);
  }
}

/**
 * What is in memory of a progressive JPEG or an interlaced PNG; 0 of other images, which are read in lines.
 * @param {Metadata} header
 */
function bytesInPasses({ isProgressive, format, width, height, ...header }) {
  if (!isProgressive) return 0;
  const { channels, depth, chromaSubsampling = "" } = header;
  const valuesOfJpeg = JPEG_VALUES.get(chromaSubsampling) ?? channels;
  const bytesPerPixel =
    format === "jpeg"
      ? valuesOfJpeg * JPEG_BYTES_PER_VALUE
      : channels * (depth === "ushort" ? 2 : 1);
  return width * height * bytesPerPixel;
}

/**
 * Only the pixels of an image remain.
 * @param {Buffer} bytes
 * @param {{ contentType: ImageType, autoOrient: { width: number, height: number } }} header
 */
function encodeAgain(bytes, { contentType, autoOrient }) {
  const upright = openImage(bytes).autoOrient();
  const sized = upright.resize({ ...keptSize(autoOrient), fit: "fill" });
  return ENCODERS[contentType](sized).toBuffer();
}

/** @param {{ width: number, height: number }} size */
function keptSize({ width, height }) {
  const smaller = Math.max(KEPT_SIDE_PX / Math.max(width, height), KEPT_WIDTH_PX / width);
  const scale = Math.min(1, smaller);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** A generous estimate of what a lossless WebP needs. */
const WEBP_BYTES_PER_PIXEL = 16;

const MEMORY_MESSAGE = /memory|creating thread/i;
/** libwebp says so of a broken file and of too little memory. */
const UNCLEAR_MESSAGE = /unable to (read|decode) pixels/i;

/**
 * @param {unknown} error
 * @param {boolean} [mayLackMemory]
 * @returns {DecoderReply}
 */
function refusalOf(error, mayLackMemory = false) {
  const message = error instanceof Error ? error.message : "";
  const lacksMemory =
    MEMORY_MESSAGE.test(message) || (mayLackMemory && UNCLEAR_MESSAGE.test(message));
  return { refusal: lacksMemory ? "too-costly" : "not-an-image" };
}

setPriority(Number(process.argv[2]));
process.on("disconnect", () => process.exit());
process.on("message", async (/** @type {DecoderRequest} */ request) => {
  const reply = await answer(request).catch((error) => refusalOf(error));
  process.send?.(reply, () => globalThis.gc?.());
});
process.send?.("ready");
