import { openImage } from "./open-image.ts";

const SIDE = 8;

/** Bits by which the hashes of one picture's copies may differ; those of unrelated pictures differ by 32 on average. */
const MOST_DIFFERENT_BITS = 10;

/**
 * Difference hash of a picture, 64 bits in hexadecimal: shrunk to 9 × 8 grey pixels, is each darker than its right
 * neighbour? Source: N. Krawetz, "Kind of Like That", 2013.
 */
export async function perceptualHash(picture: Buffer): Promise<string> {
  const width = SIDE + 1;
  const pixels = await openImage(picture)
    .flatten({ background: "white" })
    .greyscale()
    .resize(width, SIDE, { fit: "fill" })
    .raw()
    .toBuffer();
  const bits = Array.from({ length: SIDE * SIDE }, (_, index) => {
    const offset = Math.floor(index / SIDE) * width + (index % SIDE);
    return pixels.readUInt8(offset) < pixels.readUInt8(offset + 1) ? "1" : "0";
  });
  return BigInt(`0b${bits.join("")}`)
    .toString(16)
    .padStart(16, "0");
}

/** Number of bits in which two hashes differ: 0 to 64. */
export function differentBits(one: string, other: string): number {
  const difference = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  return difference.toString(2).replaceAll("0", "").length;
}

/** Whether two hashes may be of the same picture. They need not: pictures of one layout share most bits. */
export const mayBeSamePicture = (one: string, other: string): boolean =>
  differentBits(one, other) <= MOST_DIFFERENT_BITS;
