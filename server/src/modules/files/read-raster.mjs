// @ts-check
import sharp from "sharp";
import { GRID_SIDE, PIXELS_PER_POINT } from "./comparison-grid.mjs";
import { openImage } from "./open-image.mjs";

/** @import { Sharp } from "sharp" */
/** @import { Raster } from "./image-decoder.ts" */

/** A frame of one color, and then the margin of the image in it. */
const TRIMS = 3;
const TRIM_LEVELS = 20;

/** What a compressed frame leaves at its edge. */
const EDGE_PX = 4;
const MIN_TRIMMED_PX = 64;

/**
 * @param {Buffer} image
 * @returns {Promise<Raster>}
 */
export async function readRaster(image) {
  let grey = await toGrey(openImage(image).flatten({ background: "white" }).greyscale());
  for (let trims = 0; trims < TRIMS; trims += 1) {
    const { width, height } = grey;
    if (Math.min(width, height) < MIN_TRIMMED_PX) break;
    const trimmed = await toGrey(open(grey).trim({ threshold: TRIM_LEVELS }));
    const isTrimmed = trimmed.width < width || trimmed.height < height;
    if (!isTrimmed || Math.min(trimmed.width, trimmed.height) < MIN_TRIMMED_PX) break;
    const inside = { left: EDGE_PX, top: EDGE_PX };
    const size = { width: trimmed.width - 2 * EDGE_PX, height: trimmed.height - 2 * EDGE_PX };
    grey = await toGrey(open(trimmed).extract({ ...inside, ...size }));
  }
  const side = GRID_SIDE * PIXELS_PER_POINT;
  return toGrey(open(grey).resize(side, side, { fit: "inside" }).blur(1));
}

/** @param {Raster} raster */
const open = ({ width, height, pixels }) => sharp(pixels, { raw: { width, height, channels: 1 } });

/** @param {Sharp} image */
async function toGrey(image) {
  const { data, info } = await image
    .toColourspace("b-w")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
}
