import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { html } from "@shared/runtime/html.ts";
import sharp from "sharp";
import { COLORS, text } from "./preview-style.ts";

const BASE = fileURLToPath(new URL("preview.png", import.meta.url));

/** Where the image has the product's mark and name. */
const MARK = { left: 60, top: 64, size: 52 };
const NAME = { left: 128, top: 60, width: 540, height: 60 };
/** Longer names are smaller, to fit. */
const MAX_LARGE_NAME = 26;

interface Look {
  /** Empty for the product's own. */
  name: string;
  logo: Buffer | undefined;
}

/** The preview of the web pages in other services: a PNG of 1200 × 630 pixels. */
export async function drawPreview({ name, logo }: Look): Promise<Buffer> {
  if (name === "" && !logo) return readFile(BASE);
  return sharp(BASE)
    .composite([
      ...(name === "" ? [] : [cover(NAME), ...nameText(name)]),
      ...(logo ? await markOf(logo) : []),
    ])
    .png({ palette: true })
    .toBuffer();
}

const cover = ({ left, top, width, height }: typeof NAME) =>
  ({
    input: { create: { width, height, channels: 3, background: COLORS.canvas } },
    left,
    top,
  }) as const;

function nameText(name: string) {
  const sizePx = name.length > MAX_LARGE_NAME ? 22 : 30;
  return text(html`<span foreground="${COLORS.ink}">${name}</span>`, {
    left: NAME.left,
    top: MARK.top + (MARK.size - sizePx) / 2,
    sizePx,
    isBold: true,
  });
}

async function markOf(logo: Buffer) {
  const { left, top, size } = MARK;
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const input = await sharp(logo)
    .resize(size, size, { fit: "contain", background })
    .png()
    .toBuffer();
  return [cover({ left, top, width: size, height: size }), { input, left, top }];
}
