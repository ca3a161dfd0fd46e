import { readFileSync } from "node:fs";
import { crc32, gunzipSync } from "node:zlib";
import { AppError } from "@shared/runtime/app-error.ts";
import {
  chartImage,
  createCanvas,
  pngBomb,
  scanBomb,
  uploadOf,
  withPngChunk,
} from "@shared/testing/images.ts";
import sharp, { type Sharp } from "sharp";
import { afterAll, describe, expect, it, vi } from "vitest";
import { ImageDecoder } from "./image-decoder.ts";

const decoder = new ImageDecoder();
afterAll(() => decoder.stop());

const sanitizeImage = (bytes: Uint8Array) => decoder.sanitize(uploadOf(bytes), "ann");

const refusalOf = async (bytes: Buffer): Promise<unknown> => {
  const failure: unknown = await sanitizeImage(bytes).catch((error: unknown) => error);
  return failure instanceof AppError ? failure.code : failure;
};
const png = await chartImage(1).png().toBuffer();
const jpeg = await chartImage(1).jpeg().toBuffer();
const webp = await chartImage(1).webp().toBuffer();
const gif = await chartImage(1).gif().toBuffer();
const tiff = await chartImage(1).tiff().toBuffer();
const avif = await chartImage(1).avif({ effort: 0 }).toBuffer();
const PAYLOAD = "<script>alert(document.domain)</script>";

/** Only its header changes. */
function withPngHeight(image: Buffer, height: number): Buffer {
  image.writeUInt32BE(height, 20);
  image.writeUInt32BE(crc32(image.subarray(12, 29)), 29);
  return image;
}

type Encode = (picture: Sharp) => Sharp;

/**
 * Of one color. Those of more than 40 megapixels are kept as files, because to make them takes longer than the tests. They
 * were made by sharp, from `{ create: { width, height, channels: 3, background: "#4070a0" } }`.
 */
const PHOTOS: [
  name: string,
  size: { width: number; height: number },
  kind: { format: string; isProgressive: boolean },
  made: string | Encode,
][] = [
  [
    "a photo of 50 megapixels",
    { width: 8_160, height: 6_144 },
    { format: "jpeg", isProgressive: false },
    "50-megapixels.jpeg",
  ],
  [
    "a progressive one of 64 megapixels",
    { width: 8_000, height: 8_000 },
    { format: "jpeg", isProgressive: true },
    "progressive.jpeg",
  ],
  [
    "one for print",
    { width: 3_000, height: 100 },
    { format: "jpeg", isProgressive: false },
    (photo: Sharp) => photo.toColourspace("cmyk").jpeg(),
  ],
  [
    "an interlaced PNG of 48 megapixels",
    { width: 8_000, height: 6_000 },
    { format: "png", isProgressive: true },
    "interlaced.png",
  ],
  [
    "a PNG with 16 bits",
    { width: 3_000, height: 1_000 },
    { format: "png", isProgressive: false },
    (photo: Sharp) => photo.toColourspace("rgb16").png(),
  ],
  [
    "a WebP of 64 megapixels",
    { width: 8_000, height: 8_000 },
    { format: "webp", isProgressive: false },
    "64-megapixels.webp",
  ],
  [
    "a lossless WebP of 48 megapixels",
    { width: 8_000, height: 6_000 },
    { format: "webp", isProgressive: false },
    "lossless.webp",
  ],
];

async function photoOf(
  size: { width: number; height: number },
  made: string | Encode,
): Promise<Buffer> {
  if (typeof made === "string") {
    const folder = new URL("../../testing/pictures/", import.meta.url);
    return gunzipSync(readFileSync(new URL(`${made}.gz`, folder)));
  }
  return made(sharp({ create: { ...size, channels: 3, background: "#4070a0" } })).toBuffer();
}

/** Of 4K, with enough in it to be more than a few bytes. */
const SCREEN_SIZE = { width: 3_840, height: 2_160 };
const pixelsOfScreen = await sharp(png)
  .resize({ ...SCREEN_SIZE, fit: "fill", kernel: "nearest" })
  .removeAlpha()
  .raw()
  .toBuffer();
const SCREENS: [name: string, encode: Encode][] = [
  ["a WebP", (picture: Sharp) => picture.webp({ effort: 0 })],
  ["a lossless WebP", (picture: Sharp) => picture.webp({ lossless: true, effort: 0 })],
  [
    "an interlaced PNG",
    (picture: Sharp) => picture.png({ progressive: true, compressionLevel: 1 }),
  ],
  [
    "a progressive JPEG",
    (picture: Sharp) => picture.jpeg({ progressive: true, chromaSubsampling: "4:4:4" }),
  ],
];

describe("taking in an image", () => {
  it.each([
    ["image/png", png, "png"],
    ["image/jpeg", jpeg, "jpeg"],
    ["image/webp", webp, "webp"],
  ])("gives %s back as the same kind and size", async (contentType, upload, format) => {
    const image = await sanitizeImage(upload);
    expect(image.contentType).toBe(contentType);
    expect(await sharp(image.bytes).metadata()).toMatchObject({ format, width: 320, height: 200 });
  });

  it("keeps the pixels", async () => {
    const image = await sanitizeImage(png);
    const before = await sharp(png).removeAlpha().raw().toBuffer();
    const after = await sharp(image.bytes).removeAlpha().raw().toBuffer();
    expect(after.equals(before)).toBe(true);
  });

  it("drops the metadata, the place where a photo was taken too", async () => {
    const exif = { IFD0: { Artist: "Ann Owner" }, IFD3: { GPSLatitudeRef: "N" } };
    const photo = await sharp(jpeg).withExif(exif).withXmp("<x:xmpmeta/>").jpeg().toBuffer();
    expect(photo.includes("Ann Owner")).toBe(true);
    const { bytes } = await sanitizeImage(photo);
    const metadata = await sharp(bytes).metadata();
    expect([metadata.exif, metadata.xmp, metadata.icc, metadata.orientation]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(bytes.includes("Ann Owner")).toBe(false);
  });

  it("turns a photo upright that says that it lies on its side", async () => {
    const photo = await sharp(jpeg).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { bytes } = await sanitizeImage(photo);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 200, height: 320 });
  });

  it("makes a large image smaller, down to 2,560 pixels", async () => {
    const upload = await createCanvas({ width: 4_000, height: 1_000, grey: 90 }).toSharp().png();
    const { bytes } = await sanitizeImage(await upload.toBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 2_560, height: 640 });
  });

  it("takes the first frame of an animation", async () => {
    const frames = await sharp([png, jpeg], { join: { animated: true } })
      .webp()
      .toBuffer();
    expect((await sharp(frames, { animated: true }).metadata()).pages).toBe(2);
    const { bytes } = await sanitizeImage(frames);
    expect((await sharp(bytes, { animated: true }).metadata()).pages ?? 1).toBe(1);
  });

  it.each([
    ["HTML behind a PNG", Buffer.concat([png, Buffer.from(`<html>${PAYLOAD}</html>`)])],
    ["a ZIP behind a JPEG", Buffer.concat([jpeg, Buffer.from(`PK\u0003\u0004${PAYLOAD}`)])],
    ["a script in a PNG's text", withPngChunk(png, "tEXt", Buffer.from(`Comment\0${PAYLOAD}`))],
    ["a script in an unknown PNG chunk", withPngChunk(png, "juNk", Buffer.from(PAYLOAD))],
    ["a script behind a WebP", Buffer.concat([webp, Buffer.from(PAYLOAD)])],
  ])("leaves nothing of %s", async (_, polyglot) => {
    const { bytes } = await sanitizeImage(polyglot);
    expect(bytes.includes("script")).toBe(false);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 320, height: 200 });
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["a text", Buffer.from("not an image at all")],
    ["HTML", Buffer.from(`<!doctype html>${PAYLOAD}`)],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ["a GIF", gif],
    ["a TIFF", tiff],
    ["an AVIF", avif],
    ["a PNG's first bytes", png.subarray(0, 8)],
    ["half a PNG", png.subarray(0, png.length / 2)],
    ["half a JPEG", jpeg.subarray(0, jpeg.length / 2)],
    ["half a WebP", webp.subarray(0, webp.length / 2)],
    ["HTML behind a PNG's first bytes", Buffer.concat([png.subarray(0, 8), Buffer.from(PAYLOAD)])],
    ["an SVG that calls itself WebP", Buffer.from("RIFF....WEBP<svg xmlns='s'></svg>")],
  ])("refuses %s as no image", async (_, upload) => {
    expect(await refusalOf(upload)).toBe("not-an-image");
  });

  it("refuses a decompression bomb before it takes time or memory", async () => {
    const bomb = pngBomb(20_000);
    expect(bomb.length).toBeLessThan(100_000);
    const memoryBefore = process.memoryUsage().rss;
    const startedAt = performance.now();
    const refusals = await Promise.all(Array.from({ length: 20 }, () => refusalOf(bomb)));
    expect(new Set(refusals)).toEqual(new Set(["file-too-large"]));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(100_000_000);
  });

  it("accepts an image of 64 million pixels, and none of more", async () => {
    const { bytes } = await sanitizeImage(pngBomb(8_000));
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 2_560, height: 2_560 });
    expect(await refusalOf(pngBomb(8_001))).toBe("file-too-large");
  });

  it("refuses an image with a side of more than 20,000 pixels before it takes time or memory", async () => {
    const high = withPngHeight(pngBomb(1, 10), 40_000_000);
    for (const bomb of [pngBomb(40_000_000, 1), high, pngBomb(20_001, 2)]) {
      const startedAt = performance.now();
      expect(await refusalOf(bomb)).toBe("file-too-large");
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    }
    const { bytes } = await sanitizeImage(pngBomb(20_000, 400));
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 2_560, height: 51 });
  });

  it.each([
    ["of a phone's screen", [1_080, 7_500], [700, 4_861]],
    ["that is as long as allowed", [1_000, 20_000], [700, 14_000]],
    ["that is narrow already", [300, 20_000], [300, 20_000]],
    ["that is a little longer than wide", [2_000, 4_000], [1_280, 2_560]],
  ])("keeps a screenshot %s legible", async (_, [width = 0, height = 0], [kept, length]) => {
    const { bytes } = await sanitizeImage(pngBomb(width, height));
    expect(await sharp(bytes).metadata()).toMatchObject({ width: kept, height: length });
  });

  it("keeps the width of a long screenshot that says that it lies on its side", async () => {
    const lying = sharp(pngBomb(4_000, 1_000)).withMetadata({ orientation: 6 });
    const { bytes } = await sanitizeImage(await lying.jpeg().toBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 700, height: 2_800 });
  });

  it.each(PHOTOS)("accepts %s", async (_, size, kind, made) => {
    const photo = await photoOf(size, made);
    expect(await sharp(photo).metadata()).toMatchObject({ ...size, ...kind });
    const { bytes } = await sanitizeImage(photo);
    const { width, height, space, depth } = await sharp(bytes).metadata();
    const long = Math.max(size.width, size.height);
    expect({ width, space, depth }).toEqual({ width: 2_560, space: "srgb", depth: "uchar" });
    expect(height).toBe(Math.round((size.height * 2_560) / long));
  });

  it.each([
    ["an interlaced PNG of 64 megapixels with transparency", 4 as const, 8 as const],
    ["one with 16 bits", 3 as const, 16 as const],
  ])("says of %s that it takes too much memory in this form", async (_, samples, depth) => {
    const image = withPngHeight(pngBomb(8_000, 10, { depth, samples, interlaced: true }), 8_000);
    await expect(sanitizeImage(image)).rejects.toMatchObject({
      status: 413,
      detail:
        "A progressive or interlaced image takes too much memory at this size. Save it without that option, or smaller.",
    });
  });

  it.each(SCREENS)(
    "accepts %s of a 4K screen, for which the quick process has too little memory",
    async (_, encode) => {
      const screen = sharp(pixelsOfScreen, { raw: { ...SCREEN_SIZE, channels: 3 } });
      const { bytes } = await sanitizeImage(await encode(screen).toBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ width: 2_560, height: 1_440 });
    },
  );

  it("refuses images whose header states more than they have", async () => {
    const short = withPngHeight(pngBomb(8_000, 10), 7_000);
    expect(await refusalOf(short)).toBe("not-an-image");
  });
});

describe("uploads of several users", () => {
  it("take turns: a flood of one delays the small one of another by no more than 3 s", async () => {
    const slow = await scanBomb(3_000, 90);
    const flood = Array.from({ length: 4 }, () =>
      decoder.sanitize(uploadOf(slow), "ann").catch((error: unknown) => error),
    );
    for (let probe = 0; probe < 5; probe += 1) {
      const startedAt = performance.now();
      await decoder.sanitize(uploadOf(png), "bob");
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    }
    await decoder.sanitize(uploadOf(pngBomb(4_000)), "bob");
    await Promise.all(flood);
  });

  it("that are given up before their turn are not read", async () => {
    const read = vi.fn(() => Promise.resolve(png));
    const abandoned = { sha256: "", size: 1, read, isAbandoned: () => true };
    await expect(decoder.sanitize(abandoned, "ann")).rejects.toMatchObject({
      code: "malformed-body",
    });
    expect(read).not.toHaveBeenCalled();
  });
});
