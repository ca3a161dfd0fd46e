import { openImage } from "../files/sanitize-image.ts";

const SIDE = 8;

/** Bits by which the hashes of one picture's copies may differ; those of unrelated pictures differ by 32 on average. */
const MAX_DIFFERENT_BITS = 10;

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
export const mayBeSameImage = (one: string, other: string): boolean =>
  differentBits(one, other) <= MAX_DIFFERENT_BITS;

/** Pixels of a side of the small picture that two likenesses are compared by. */
const SIDE_PX = 192;

/** Pixels of a side of the squares in which it is compared; they overlap by half. */
const SQUARE_PX = 12;
const STEP_PX = SQUARE_PX / 2;

/** Grey levels by which a square's pixels must vary (standard deviation) to show anything but paper and noise. */
const TEXTURE_LEVELS = 6;

/**
 * Least correlation in every square. Copies of receipts that were made smaller and saved at JPEG quality 20 stay above
 * 0.95, and one other digit in a reference number brings its square below 0.85.
 */
const MIN_CORRELATION = 0.9;

const PIXELS = SQUARE_PX * SQUARE_PX;
const TEXTURE_ENERGY = TEXTURE_LEVELS * TEXTURE_LEVELS * PIXELS;

/** A picture in small, without colour: 192 × 192 bytes, whatever its shape was. */
export function likenessOf(picture: Buffer): Promise<Buffer> {
  return openImage(picture)
    .flatten({ background: "white" })
    .greyscale()
    .resize(SIDE_PX, SIDE_PX, { fit: "fill" })
    .raw()
    .toBuffer();
}

/**
 * Whether two likenesses are of the same picture, though resized or recompressed: in every square where either shows
 * something, both must show the same (local normalized cross-correlation, the structure term of SSIM: Wang et al., 2004).
 * Receipts of one bank differ only in a few letters; a perceptual hash alone cannot tell them apart.
 */
export function showSameImage(one: Buffer, other: Buffer): boolean {
  let compared = 0;
  for (let top = 0; top + SQUARE_PX <= SIDE_PX; top += STEP_PX) {
    for (let left = 0; left + SQUARE_PX <= SIDE_PX; left += STEP_PX) {
      const correlation = correlationAt({ one, other, top, left });
      if (correlation === undefined) continue;
      if (correlation < MIN_CORRELATION) return false;
      compared += 1;
    }
  }
  return compared > 0;
}

/** From -1 to 1, or undefined where neither picture shows anything. */
function correlationAt(at: {
  one: Buffer;
  other: Buffer;
  top: number;
  left: number;
}): number | undefined {
  const sums = { one: 0, other: 0, oneSquared: 0, otherSquared: 0, product: 0 };
  for (let row = 0; row < SQUARE_PX; row += 1) {
    for (let column = 0; column < SQUARE_PX; column += 1) {
      const offset = (at.top + row) * SIDE_PX + at.left + column;
      const a = at.one.readUInt8(offset);
      const b = at.other.readUInt8(offset);
      sums.one += a;
      sums.other += b;
      sums.oneSquared += a * a;
      sums.otherSquared += b * b;
      sums.product += a * b;
    }
  }
  const oneEnergy = sums.oneSquared - sums.one ** 2 / PIXELS;
  const otherEnergy = sums.otherSquared - sums.other ** 2 / PIXELS;
  if (Math.max(oneEnergy, otherEnergy) < TEXTURE_ENERGY) return undefined;
  const covariance = sums.product - (sums.one * sums.other) / PIXELS;
  // The constant keeps squares at the edge of saying something from being judged by their noise.
  const steady = TEXTURE_ENERGY / 8;
  return (covariance + steady) / (Math.sqrt(oneEnergy * otherEnergy) + steady);
}
