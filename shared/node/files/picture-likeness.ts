import { openImage } from "./open-image.ts";

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
const LEAST_CORRELATION = 0.9;

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
export function showSamePicture(one: Buffer, other: Buffer): boolean {
  let compared = 0;
  for (let top = 0; top + SQUARE_PX <= SIDE_PX; top += STEP_PX) {
    for (let left = 0; left + SQUARE_PX <= SIDE_PX; left += STEP_PX) {
      const correlation = correlationAt({ one, other, top, left });
      if (correlation === undefined) continue;
      if (correlation < LEAST_CORRELATION) return false;
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
