import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import type { UploadedFile } from "@shared/contract/routes/define-route.ts";
import type { Sharp } from "sharp";
import sharp from "sharp";

interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

type Canvas = ReturnType<typeof createCanvas>;

/** An image of one grey, to draw on. */
export function createCanvas(size: { width: number; height: number; grey: number }) {
  const { width, height } = size;
  const pixels = Buffer.alloc(width * height * 3, size.grey);
  return {
    fill({ left, top, grey, ...area }: Area & { grey: number }) {
      for (let y = top; y < top + area.height; y += 1) {
        pixels.fill(grey, (y * width + left) * 3, (y * width + left + area.width) * 3);
      }
    },
    toSharp: () => sharp(pixels, { raw: { width, height, channels: 3 } }),
  };
}

/** A strip of one grey, for tests of anything but its content: as a proof, it is compared in no time. */
export const plainImage = (grey = 20): Sharp =>
  createCanvas({ width: 320, height: 8, grey }).toSharp();

/** A candle chart; each `seed` gives another one. */
export function chartImage(seed: number): Sharp {
  const canvas = createCanvas({ width: 320, height: 200, grey: 20 });
  for (let bar = 0; bar < 20; bar += 1) {
    const wave = Math.abs(Math.sin(seed * 12.9898 + bar * 78.233));
    const height = Math.max(1, Math.floor(wave * 120));
    const top = Math.floor((200 - height) * Math.abs(Math.cos(seed + bar)));
    canvas.fill({ left: bar * 16, top, width: 14, height, grey: bar % 2 === 0 ? 220 : 120 });
  }
  return canvas.toSharp();
}

/** Segments of each digit: top, middle, bottom, upper and lower left, upper and lower right. */
const DIGIT_BARS = [
  "1011111",
  "0000011",
  "1110110",
  "1110011",
  "0101011",
  "1111001",
  "1111101",
  "1000011",
  "1111111",
  "1111011",
] as const;

interface ReceiptDetails {
  amount: string;
  /** In small print, like most receipts. */
  transaction: string;
}

/** A screenshot of a payment app, with a number of 12 digits. */
export function receiptImage(digits: string, details: Partial<ReceiptDetails> = {}): Sharp {
  const { amount = "4150000", transaction = "730561948207" } = details;
  const canvas = createCanvas({ width: 720, height: 1_280, grey: 255 });
  canvas.fill({ left: 0, top: 0, width: 720, height: 140, grey: 90 });
  canvas.fill({ left: 280, top: 220, width: 160, height: 160, grey: 120 });
  for (let line = 0; line < 5; line += 1) {
    for (let word = 0; word < 4; word += 1) {
      const left = 60 + word * 150 + line * 7;
      canvas.fill({ left, top: 700 + line * 80, width: 60 + word * 12, height: 22, grey: 60 });
    }
    canvas.fill({ left: 40, top: 745 + line * 80, width: 640, height: 2, grey: 200 });
  }
  drawDigits(canvas, { digits, left: 80, top: 500, unit: 6 });
  drawDigits(canvas, { digits: amount, left: 400, top: 1_110, unit: 4 });
  drawDigits(canvas, { digits: "120320261422", left: 400, top: 1_170, unit: 2 });
  drawDigits(canvas, { digits: transaction, left: 400, top: 1_210, unit: 2 });
  return canvas.toSharp();
}

/** @param at.unit width of a stroke; a digit is five wide and ten high */
function drawDigits(
  canvas: Canvas,
  at: { digits: string; left: number; top: number; unit: number },
): void {
  [...at.digits].forEach((digit, place) => {
    const left = at.left + place * 8 * at.unit;
    drawDigit(canvas, { ...at, left, bars: DIGIT_BARS[Number(digit)] ?? "" });
  });
}

function drawDigit(
  canvas: Canvas,
  at: { bars: string; left: number; top: number; unit: number },
): void {
  const { bars, left, top, unit } = at;
  const across = { width: 5 * unit, height: unit };
  const down = { width: unit, height: 5 * unit };
  const areas = [
    { left, top, ...across },
    { left, top: top + 4.5 * unit, ...across },
    { left, top: top + 9 * unit, ...across },
    { left, top, ...down },
    { left, top: top + 5 * unit, ...down },
    { left: left + 4 * unit, top, ...down },
    { left: left + 4 * unit, top: top + 5 * unit, ...down },
  ];
  areas.forEach((area, index) => {
    if (bars[index] === "1") canvas.fill({ ...area, grey: 30 });
  });
}

/** Of a PNG: bits of a sample, samples of a pixel (grey, RGB or RGBA), and whether it comes in the seven passes of Adam7. */
interface PngKind {
  depth: 1 | 8 | 16;
  samples: 1 | 3 | 4;
  interlaced?: boolean;
}

const COLOR_TYPES = { 1: 0, 3: 2, 4: 6 } as const;

/** Of each pass: the first column and row, and the distances to the next ones. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A PNG of black pixels in a few kilobytes: 20,000 × 20,000 would take 1.6 GB decoded. */
export function pngBomb(
  width: number,
  height = width,
  { depth, samples, interlaced = false }: PngKind = { depth: 1, samples: 1 },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, COLOR_TYPES[samples], 0, 0, interlaced ? 1 : 0], 8);
  const passes = interlaced ? ADAM7 : ([[0, 0, 1, 1]] as const);
  const sizes = passes.map(([left, top, across, down]) => {
    const columns = Math.ceil((width - left) / across);
    return Math.ceil((height - top) / down) * (1 + Math.ceil((columns * depth * samples) / 8));
  });
  const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(Buffer.alloc(size), { level: 9 })),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

export function withPngChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const end = png.length - 12;
  return Buffer.concat([png.subarray(0, end), pngChunk(type, data), png.subarray(end)]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(typeAndData));
  return Buffer.concat([length, typeAndData, checksum]);
}

/** An upload of these bytes that is in memory. */
export const uploadOf = (bytes: Uint8Array): UploadedFile => ({
  sha256: createHash("sha256").update(bytes).digest("hex"),
  size: bytes.length,
  read: () => Promise.resolve(bytes),
  isAbandoned: () => false,
});

const START_OF_SCAN = Buffer.from([0xff, 0xda]);
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** A progressive JPEG of `side` × `side` pixels whose last scan comes `scans` times more: each takes time, and few bytes. */
export async function scanBomb(side: number, scans: number): Promise<Buffer> {
  const flat = sharp({ create: { width: side, height: side, channels: 3, background: "grey" } });
  const jpeg = await flat.jpeg({ progressive: true }).toBuffer();
  const last = jpeg.subarray(jpeg.lastIndexOf(START_OF_SCAN), -END_OF_IMAGE.length);
  const before = jpeg.subarray(0, -END_OF_IMAGE.length);
  return Buffer.concat([before, ...Array.from({ length: scans }, () => last), END_OF_IMAGE]);
}
