import { AppError } from "@shared/runtime/app-error.ts";
import { chartImage, createCanvas, pngBomb, withPngChunk } from "@shared/testing/images.ts";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { sanitizeImage } from "./sanitize-image.ts";

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

  it("accepts an image of just under 40 million pixels, and none of more", async () => {
    const { bytes } = await sanitizeImage(pngBomb(6_300));
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 2_560, height: 2_560 });
    expect(await refusalOf(pngBomb(6_400))).toBe("file-too-large");
  });
});
