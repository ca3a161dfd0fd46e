import { hkdfSync } from "node:crypto";
import type { Fingerprint } from "@shared/database/models/payment.ts";
import { GRID_SIDE, PIXELS_PER_POINT } from "../files/comparison-grid.mjs";
import type { Raster } from "../files/image-decoder.ts";

/** Side of a square in points: about two digits. */
const SQUARE = 12;
const SQUARE_POINTS = SQUARE ** 2;
const HASH_BITS = 32;

const EDGE = 2;

/** Distance from the first pixel of a point to its center, in pixels. */
const POINT_CENTER = (PIXELS_PER_POINT - 1) / 2;

const CONTENT_LEVELS = 5;

/** Sum of the squared steps of a square from which on it has content. */
const MIN_ENERGY = 12_000;

export interface ComparableImage {
  raster: Raster;
  fingerprint: Fingerprint;
}

export const comparableOf = (raster: Raster): ComparableImage => ({
  raster,
  fingerprint: fingerprintOf(raster),
});

function fingerprintOf(raster: Raster): Fingerprint {
  const width = Math.floor(raster.width / PIXELS_PER_POINT);
  const height = Math.floor(raster.height / PIXELS_PER_POINT);
  const rows = Array.from({ length: height }, () => 0);
  const columns = Array.from({ length: width }, () => 0);
  for (let y = 0; y < height; y += 1) {
    let before = brightnessAt(raster, 0, y);
    for (let x = 0; x + 1 < width; x += 1) {
      const next = brightnessAt(raster, x + 1, y);
      const step = next - before;
      before = next;
      if (Math.abs(step) < CONTENT_LEVELS) continue;
      rows[y] = (rows[y] ?? 0) + 1;
      columns[x] = (columns[x] ?? 0) + 1;
    }
  }
  const squares = squareCorners({ width, height }).map((corner) => {
    const steps = readSteps(raster, corner, UNMOVED);
    return energyOf(steps) >= MIN_ENERGY ? hashOf(steps) : 0;
  });
  return { width, height, rows: rows.map(Math.sqrt), columns: columns.map(Math.sqrt), squares };
}

interface Corner {
  x: number;
  y: number;
}

function squareCorners({ width, height }: Pick<Fingerprint, "width" | "height">): Corner[] {
  const corners: Corner[] = [];
  for (let y = EDGE; y + SQUARE + EDGE <= height; y += SQUARE) {
    for (let x = EDGE; x + SQUARE + EDGE <= width; x += SQUARE) corners.push({ x, y });
  }
  return corners;
}

interface Placement {
  scale: number;
  left: number;
  top: number;
}

const UNMOVED: Placement = { scale: 1, left: 0, top: 0 };

/** Signs of the steps in each bit of a hash. Stored hashes depend on them. */
const SIGNS = Int8Array.from(
  Array.from(
    new Uint8Array(hkdfSync("sha256", "squares", "", "", (HASH_BITS * SQUARE_POINTS) / 8)),
    (byte) => Array.from({ length: 8 }, (_, bit) => ((byte >> bit) & 1 ? 1 : -1)),
  ).flat(),
);

/** Steps in brightness to the right; NaN where the image does not show the square. */
function readSteps(raster: Raster, corner: Corner, { scale, left, top }: Placement): Float64Array {
  const steps = new Float64Array(SQUARE_POINTS);
  for (let row = 0; row < SQUARE; row += 1) {
    const y = (corner.y + row - top) / scale;
    let before = brightnessAt(raster, (corner.x - left) / scale, y);
    for (let column = 0; column < SQUARE; column += 1) {
      const next = brightnessAt(raster, (corner.x + column + 1 - left) / scale, y);
      steps[row * SQUARE + column] = next - before;
      before = next;
    }
  }
  return steps;
}

const energyOf = (steps: Float64Array): number => steps.reduce((sum, step) => sum + step * step, 0);

/** Each bit is the sign of a sum of the steps with random signs: similar squares differ in few bits (Charikar, 2002). */
function hashOf(steps: Float64Array): number {
  let hash = 0;
  for (let bit = 0; bit < HASH_BITS; bit += 1) {
    let sum = 0;
    for (let point = 0; point < SQUARE_POINTS; point += 1) {
      sum += (steps[point] ?? 0) * (SIGNS[bit * SQUARE_POINTS + point] ?? 0);
    }
    hash = (hash << 1) | (sum > 0 ? 1 : 0);
  }
  return hash;
}

/** Brightness at a point of the grid, interpolated; NaN outside of the image. */
function brightnessAt({ width, height, pixels }: Raster, x: number, y: number): number {
  const u = PIXELS_PER_POINT * x + POINT_CENTER;
  const v = PIXELS_PER_POINT * y + POINT_CENTER;
  const left = Math.floor(u);
  const top = Math.floor(v);
  if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) return Number.NaN;
  const offset = top * width + left;
  const right = u - left;
  const upper = (pixels[offset] ?? 0) * (1 - right) + (pixels[offset + 1] ?? 0) * right;
  const below = offset + width;
  const lower = (pixels[below] ?? 0) * (1 - right) + (pixels[below + 1] ?? 0) * right;
  return upper + (lower - upper) * (v - top);
}

/** Part of each of the two images that the other one must show. */
const MIN_OVERLAP = 0.5;

/**
 * Does an image show what a fingerprint was made of, also if one of them is cropped, framed, scaled or compressed? Receipts
 * of one payment app differ in a few letters only, so all squares must be alike. Print that is smaller than about 1/60 of
 * the image's height is not distinguished.
 */
export function showsSameImage(known: Fingerprint, image: ComparableImage): boolean {
  const rows = findRows(known.rows, image.fingerprint.rows);
  if (rows.correlation < MIN_ROW_CORRELATION) return false;
  const { scale, shift: top } = rows;
  const left = findLeft(known.columns, image.fingerprint.columns, scale);
  const placement = refine(known, image, { scale, left, top });
  return (
    overlap(known, image.fingerprint, placement) >= MIN_OVERLAP &&
    areSquaresAlike(known, image.raster, placement)
  );
}

function overlap(known: Fingerprint, other: Fingerprint, { scale, left, top }: Placement): number {
  const common = (start: number, length: number, knownLength: number) =>
    Math.max(0, Math.min(knownLength, start + length * scale) - Math.max(0, start));
  const area = common(left, other.width, known.width) * common(top, other.height, known.height);
  const otherArea = other.width * other.height * scale ** 2;
  return area / Math.max(known.width * known.height, otherArea);
}

const range = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1));

/** Rows that are joined in the first search. */
const ROWS_PER_BIN = 5;
const SCALES = range(Math.log(0.58), Math.log(1.72), 54).map(Math.exp);
const MIN_ROW_CORRELATION = 0.75;

interface RowMatch {
  scale: number;
  shift: number;
  correlation: number;
}

function findRows(known: readonly number[], other: readonly number[]): RowMatch {
  const coarse = bestMatch([joinRows(known), joinRows(other)], SCALES, (scale, lengths) => ({
    from: Math.ceil(-lengths.other * scale * 0.4),
    to: Math.floor(lengths.known * 0.4),
  }));
  const { scale } = coarse;
  const shift = coarse.shift * ROWS_PER_BIN + ((ROWS_PER_BIN - 1) / 2) * (1 - scale);
  const reach = ROWS_PER_BIN + 2;
  const shifts = { from: shift - reach, to: shift + reach };
  return bestMatch([known, other], range(scale * 0.98, scale * 1.02, 21), () => shifts);
}

function joinRows(profile: readonly number[]): number[] {
  return Array.from({ length: Math.ceil(profile.length / ROWS_PER_BIN) }, (_, bin) => {
    const rows = profile.slice(bin * ROWS_PER_BIN, (bin + 1) * ROWS_PER_BIN);
    return rows.reduce((sum, row) => sum + row, 0) / rows.length;
  });
}

type Profiles = readonly [known: readonly number[], other: readonly number[]];

/** The first and the last shift to try; those between are a row apart. */
interface Shifts {
  from: number;
  to: number;
}

function bestMatch(
  [known, other]: Profiles,
  scales: readonly number[],
  shiftsFor: (scale: number, lengths: { known: number; other: number }) => Shifts,
): RowMatch {
  let best: RowMatch = { scale: 1, shift: 0, correlation: -1 };
  const knownRows = Float64Array.from(known);
  for (const scale of scales) {
    const { from, to } = shiftsFor(scale, { known: known.length, other: other.length });
    const start = Math.ceil(from);
    const scaled = scaleRows(other, scale, start - from);
    const minCount = MIN_OVERLAP * Math.min(known.length, other.length * scale);
    for (let moved = 0; moved <= Math.round(to - from); moved += 1) {
      const correlation = correlateRows(knownRows, scaled, start + moved, minCount);
      if (correlation > best.correlation) best = { scale, shift: from + moved, correlation };
    }
  }
  return best;
}

/** The values of a profile at rows of another scale, of which the first is `offset` behind the profile's first. */
function scaleRows(profile: readonly number[], scale: number, offset: number): Float64Array {
  const count = Math.floor((profile.length - 1) * scale - offset) + 1;
  return Float64Array.from({ length: Math.max(0, count) }, (_, row) => {
    const position = (row + offset) / scale;
    const index = Math.floor(position);
    const before = profile[index] ?? 0;
    return before + ((profile[index + 1] ?? before) - before) * (position - index);
  });
}

/** @param start row of `known` at which `other` starts */
function correlateRows(
  known: Float64Array,
  other: Float64Array,
  start: number,
  minCount: number,
): number {
  const from = Math.max(0, start);
  const to = Math.min(known.length, start + other.length);
  const count = to - from;
  if (count < minCount) return -1;
  let [a, b, aa, bb, ab] = [0, 0, 0, 0, 0];
  for (let row = from; row < to; row += 1) {
    const knownValue = known[row] ?? 0;
    const value = other[row - start] ?? 0;
    a += knownValue;
    b += value;
    aa += knownValue * knownValue;
    bb += value * value;
    ab += knownValue * value;
  }
  const variances = (aa - a ** 2 / count) * (bb - b ** 2 / count);
  return variances > 0 ? (ab - (a * b) / count) / Math.sqrt(variances) : -1;
}

/** The rows have shown the scale. */
function findLeft(known: readonly number[], other: readonly number[], scale: number): number {
  const shifts = {
    from: Math.ceil(-other.length * scale * MIN_OVERLAP),
    to: Math.floor(known.length * MIN_OVERLAP),
  };
  return bestMatch([known, other], [scale], () => shifts).shift;
}

/** Enough to find the placement to a fraction of a point. */
const SAMPLED_SQUARES = 30;

const MOVES = [
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
] as const;

function refine(known: Fingerprint, image: ComparableImage, start: Placement): Placement {
  const { width, height } = image.fingerprint;
  const corners = squareCorners(known);
  const all = known.squares.flatMap((hash, index) => {
    const corner = corners[index];
    return hash !== 0 && corner ? [{ hash, corner }] : [];
  });
  const every = Math.max(1, Math.floor(all.length / SAMPLED_SQUARES));
  const sample = all.filter((_, index) => index % every === 0);
  const rate = (placement: Placement) => rateSquares(sample, image.raster, placement);
  let best = { placement: start, rating: rate(start) };
  for (const distance of [1, 0.5, 0.5, 0.25, 0.25]) {
    for (const [moveX, moveY, grow] of MOVES) {
      const { scale, left, top } = best.placement;
      const growth = (scale * grow * distance) / GRID_SIDE;
      const placement = {
        scale: scale + growth,
        left: left + moveX * distance - (growth * width) / 2,
        top: top + moveY * distance - (growth * height) / 2,
      };
      const rating = rate(placement);
      if (rating > best.rating) best = { placement, rating };
    }
  }
  return best.placement;
}

interface KnownSquare {
  hash: number;
  corner: Corner;
}

/** Sum of the bits that are alike beyond chance. */
function rateSquares(sample: readonly KnownSquare[], raster: Raster, placement: Placement): number {
  let sum = 0;
  for (const { hash, corner } of sample) {
    const steps = readSteps(raster, corner, placement);
    if (!isOutside(steps)) sum += (HASH_BITS / 2 - differentBits(hash, hashOf(steps))) ** 3;
  }
  return sum;
}

function differentBits(one: number, other: number): number {
  let rest = one ^ other;
  let count = 0;
  while (rest !== 0) {
    rest &= rest - 1;
    count += 1;
  }
  return count;
}

function isOutside(steps: Float64Array): boolean {
  for (const step of steps) if (Number.isNaN(step)) return true;
  return false;
}

/**
 * Of the 96 of three neighboring squares, about six letters in a row. Copies differ in up to 24; receipts with another
 * number, amount or reference in 25 or more, but with another date in the smallest print only in 14 or more.
 */
const MAX_DIFFERENT_BITS = 24;

const MIN_SQUARES = 10;

function areSquaresAlike(known: Fingerprint, raster: Raster, placement: Placement): boolean {
  const corners = squareCorners(known);
  const perRow = corners.filter(({ y }) => y === EDGE).length;
  const bits = corners.map((corner, index) =>
    compareSquare(known.squares[index] ?? 0, readSteps(raster, corner, placement)),
  );
  const isDifferent = bits.some((first = 0, index) =>
    [1, perRow].some((step) => {
      const others = (bits[index + step] ?? 0) + (bits[index + 2 * step] ?? 0);
      return first + others > MAX_DIFFERENT_BITS;
    }),
  );
  return !isDifferent && bits.filter((count) => count !== undefined).length >= MIN_SQUARES;
}

/** Different bits of two squares; undefined if neither has content. */
function compareSquare(hash: number, steps: Float64Array): number | undefined {
  if (isOutside(steps)) return undefined;
  if (hash !== 0) return differentBits(hash, hashOf(steps));
  return energyOf(steps) > 4 * MIN_ENERGY ? HASH_BITS / 2 : undefined;
}
