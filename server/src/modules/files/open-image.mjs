// @ts-check
import sharp from "sharp";

/** Untrusted files are decoded only by the three decoders that are needed. */
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadPngBuffer", "VipsForeignLoadJpegBuffer", "VipsForeignLoadWebpBuffer"],
});

/** Each image is read once. */
sharp.cache(false);

sharp.concurrency(1);

/**
 * Opens an image; of several frames, the first.
 * @param {Uint8Array} bytes
 */
export const openImage = (bytes) => sharp(bytes, { limitInputPixels: false, failOn: "error" });
