import sharp, { type Sharp } from "sharp";

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
