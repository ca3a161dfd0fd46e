import { openImage } from "../files/sanitize-image.ts";

const SIDE = 8;

/** Hashes of copies of one image differ by at most this many bits; those of unrelated images by 32 on average. */
const MAX_DIFFERENT_BITS = 10;

/**
 * Difference hash, 64 bits in hexadecimal: is each of 9 × 8 grey pixels darker than its right neighbor?
 * Source: N. Krawetz, "Kind of Like That", 2013.
 */
export async function perceptualHash(image: Buffer): Promise<string> {
  const width = SIDE + 1;
  const pixels = await openImage(image)
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

/** From 0 to 64. */
export function differentBits(one: string, other: string): number {
  const difference = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  return difference.toString(2).replaceAll("0", "").length;
}

/** A necessary condition only: images of one layout share most bits. */
export const mayBeSameImage = (one: string, other: string): boolean =>
  differentBits(one, other) <= MAX_DIFFERENT_BITS;

const SIDE_PX = 192;

/** Side of the compared squares in pixels. They overlap by half. */
const SQUARE_PX = 12;
const STEP_PX = SQUARE_PX / 2;

/** Standard deviation in grey levels above which a square has content. */
const TEXTURE_LEVELS = 6;

/**
 * Minimum correlation of every square. Copies of receipts at JPEG quality 20 stay above 0.95; another digit in a reference
 * number brings its square below 0.85.
 */
const MIN_CORRELATION = 0.9;

const PIXELS = SQUARE_PX * SQUARE_PX;
const TEXTURE_ENERGY = TEXTURE_LEVELS * TEXTURE_LEVELS * PIXELS;

/** The image reduced to 192 × 192 grey pixels. */
export function likenessOf(image: Buffer): Promise<Buffer> {
  return openImage(image)
    .flatten({ background: "white" })
    .greyscale()
    .resize(SIDE_PX, SIDE_PX, { fit: "fill" })
    .raw()
    .toBuffer();
}

/**
 * Compares two reduced images square by square (local normalized cross-correlation, the structure term of SSIM: Wang et al.,
 * 2004). Needed because receipts of one bank differ only in a few letters, which a perceptual hash does not see.
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

/** From -1 to 1, or undefined if neither image has content. */
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
  // Damps the noise of squares with little content.
  const steady = TEXTURE_ENERGY / 8;
  return (covariance + steady) / (Math.sqrt(oneEnergy * otherEnergy) + steady);
}
