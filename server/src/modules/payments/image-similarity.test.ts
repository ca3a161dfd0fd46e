import { chartImage, createCanvas, receiptImage } from "@shared/testing/images.ts";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ImageDecoder } from "../files/image-decoder.ts";
import { type ComparableImage, comparableOf, showsSameImage } from "./image-similarity.ts";

const decoder = new ImageDecoder();
afterAll(() => decoder.stop());

const readComparable = async (image: Buffer): Promise<ComparableImage> =>
  comparableOf(await decoder.readRaster(image));

/** Each of the two may have been submitted first. */
const isSame = (one: ComparableImage, other: ComparableImage): boolean[] => [
  showsSameImage(one.fingerprint, other),
  showsSameImage(other.fingerprint, one),
];
const SAME = [true, true];
const DIFFERENT = [false, false];

/** @param sides parts of the sides that are cut off */
const crop = (image: Buffer, sides: { top: number; bottom: number; left?: number }) => {
  const { top, bottom, left = 0 } = sides;
  return sharp(image)
    .extract({
      left: Math.round(720 * left),
      top: Math.round(1_280 * top),
      width: Math.round(720 * (1 - 2 * left)),
      height: Math.round(1_280 * (1 - top - bottom)),
    })
    .jpeg({ quality: 80 })
    .toBuffer();
};
const frame = (image: Buffer, background: string, width: number) =>
  sharp(image)
    .extend({ top: width, bottom: width, left: width, right: width, background })
    .jpeg({ quality: 80 })
    .toBuffer();

/** What becomes of an image on its way through messengers and phones, and what users do to it. */
const COPIES: [string, (image: Buffer) => Promise<Buffer>][] = [
  ["as it is", (image) => Promise.resolve(image)],
  ["as a JPEG of quality 50", (image) => sharp(image).jpeg({ quality: 50 }).toBuffer()],
  ["as a JPEG of quality 20", (image) => sharp(image).jpeg({ quality: 20 }).toBuffer()],
  ["as a WebP of quality 60", (image) => sharp(image).webp({ quality: 60 }).toBuffer()],
  ["half as large", (image) => sharp(image).resize(360).jpeg({ quality: 70 }).toBuffer()],
  ["larger", (image) => sharp(image).resize(1_080).jpeg({ quality: 80 }).toBuffer()],
  ["darker", (image) => sharp(image).modulate({ brightness: 0.9 }).png().toBuffer()],
  ["without its first lines", (image) => crop(image, { top: 0.12, bottom: 0 })],
  ["without its last lines", (image) => crop(image, { top: 0, bottom: 0.15 })],
  ["cropped on all sides", (image) => crop(image, { top: 0.05, bottom: 0.05, left: 0.04 })],
  ["in a white frame", (image) => frame(image, "white", 60)],
  ["in a wide black frame", (image) => frame(image, "black", 200)],
  [
    "cropped, framed and scaled",
    async (image) => {
      const cropped = await crop(image, { top: 0.08, bottom: 0.04 });
      const framed = await frame(cropped, "#3355aa", 90);
      return sharp(framed).resize(600).jpeg({ quality: 70 }).toBuffer();
    },
  ],
];

describe("knowing a payment proof again", () => {
  const digits = "482915730164";
  let receipt: Buffer;
  let known: ComparableImage;
  beforeAll(async () => {
    receipt = await receiptImage(digits).png().toBuffer();
    known = await readComparable(receipt);
  });

  it.each(COPIES)("knows the same receipt %s", async (_, copy) => {
    expect(isSame(known, await readComparable(await copy(receipt)))).toEqual(SAME);
  });

  it.each([
    ["another number", "730561948207", {}],
    ["one other digit at the end", "482915730165", {}],
    ["one other digit in the middle", "482915830164", {}],
    ["two digits swapped", "842915730164", {}],
    ["another amount", digits, { amount: "1450000" }],
    ["another reference in small print", digits, { transaction: "118365920471" }],
  ])("does not take a receipt of the same app with %s for it", async (_, number, details) => {
    const image = await receiptImage(number, details).jpeg({ quality: 80 }).toBuffer();
    expect(isSame(known, await readComparable(image))).toEqual(DIFFERENT);
    const cropped = await crop(image, { top: 0.12, bottom: 0 });
    expect(isSame(known, await readComparable(cropped))).toEqual(DIFFERENT);
  });

  it("does not take other images for it, nor for each other", async () => {
    const charts = Array.from({ length: 5 }, (_, seed) => chartImage(seed + 1).jpeg());
    const images = await Promise.all(
      charts.map(async (chart) => readComparable(await chart.toBuffer())),
    );
    const all = [known, ...images];
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) expect(isSame(one, other)).toEqual(DIFFERENT);
    }
  });

  it("knows nothing of empty pages: they are all alike", async () => {
    const page = async (grey: number) =>
      readComparable(
        await createCanvas({ width: 200, height: 300, grey }).toSharp().png().toBuffer(),
      );
    const white = await page(255);
    expect(isSame(white, await page(120))).toEqual(DIFFERENT);
    expect(isSame(white, white)).toEqual(DIFFERENT);
  });

  it("reads images of a few pixels", async () => {
    const tiny = await createCanvas({ width: 2, height: 900, grey: 9 }).toSharp().png().toBuffer();
    expect(isSame(known, await readComparable(tiny))).toEqual(DIFFERENT);
  });
});
