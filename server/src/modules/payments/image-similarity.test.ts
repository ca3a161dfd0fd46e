import { chartImage, createCanvas, receiptImage } from "@shared/testing/images.ts";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import {
  differentBits,
  likenessOf,
  mayBeSameImage,
  perceptualHash,
  showSameImage,
} from "./image-similarity.ts";

interface Known {
  hash: string;
  likeness: Buffer;
}

const known = async (picture: Buffer): Promise<Known> => ({
  hash: await perceptualHash(picture),
  likeness: await likenessOf(picture),
});
const isSame = (one: Known, other: Known): boolean =>
  mayBeSameImage(one.hash, other.hash) && showSameImage(one.likeness, other.likeness);

/** What becomes of a picture on its way through messengers and phones. */
const COPIES: [string, (picture: Buffer) => Promise<Buffer>][] = [
  ["as it is", (picture) => Promise.resolve(picture)],
  ["as a JPEG of quality 50", (picture) => sharp(picture).jpeg({ quality: 50 }).toBuffer()],
  ["as a JPEG of quality 20", (picture) => sharp(picture).jpeg({ quality: 20 }).toBuffer()],
  ["as a WebP of quality 60", (picture) => sharp(picture).webp({ quality: 60 }).toBuffer()],
  ["half as large", (picture) => sharp(picture).resize(360).jpeg({ quality: 70 }).toBuffer()],
  ["larger", (picture) => sharp(picture).resize(1_080).jpeg({ quality: 80 }).toBuffer()],
  ["darker", (picture) => sharp(picture).modulate({ brightness: 0.9 }).png().toBuffer()],
];

describe("knowing a payment proof again", () => {
  let receipt: Buffer;
  let knownReceipt: Known;
  beforeAll(async () => {
    receipt = await receiptImage("482915730164").png().toBuffer();
    knownReceipt = await known(receipt);
  });

  it.each(COPIES)("knows the same receipt %s", async (_, copy) => {
    expect(isSame(knownReceipt, await known(await copy(receipt)))).toBe(true);
  });

  it.each([
    ["another number", "730561948207"],
    ["one other digit at the end", "482915730165"],
    ["one other digit in the middle", "482915830164"],
    ["two digits swapped", "842915730164"],
  ])("does not take a receipt of the same app with %s for it", async (_, digits) => {
    const other = await receiptImage(digits).jpeg({ quality: 80 }).toBuffer();
    const knownOther = await known(other);
    expect(isSame(knownReceipt, knownOther)).toBe(false);
    expect(mayBeSameImage(knownReceipt.hash, knownOther.hash)).toBe(true);
  });

  it("does not take other pictures for it, nor for each other", async () => {
    const pictures = await Promise.all(
      Array.from({ length: 12 }, (_, seed) =>
        chartImage(seed + 1)
          .jpeg()
          .toBuffer(),
      ),
    );
    const all = [knownReceipt, ...(await Promise.all(pictures.map(known)))];
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) expect(isSame(one, other)).toBe(false);
    }
  });

  it("knows nothing of empty pages: they are all alike", async () => {
    const page = (grey: number) => createCanvas({ width: 200, height: 300, grey }).toSharp().png();
    const white = await known(await page(255).toBuffer());
    const grey = await known(await page(120).toBuffer());
    expect(isSame(white, grey)).toBe(false);
    expect(isSame(white, white)).toBe(false);
  });

  it("hashes to 64 bits, and counts those in which two hashes differ", () => {
    expect(knownReceipt.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(differentBits("0000000000000000", "0000000000000000")).toBe(0);
    expect(differentBits("0000000000000000", "ffffffffffffffff")).toBe(64);
    expect(differentBits("00000000000000f0", "0000000000000001")).toBe(5);
  });
});
