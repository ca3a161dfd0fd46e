import { createRequire } from "node:module";
import type { html } from "@shared/runtime/html.ts";
import type { OverlayOptions } from "sharp";

// Colours and texts of the images that other services show of links.

/** Of the dark theme of the web pages. */
export const COLORS = {
  canvas: "#0a0d12",
  surface: "#10151c",
  reward: "#12302c",
  risk: "#33212a",
  ink: "#e9edf3",
  muted: "#aab4c2",
  faint: "#8c98a8",
  accent: "#6aa6ff",
  buy: "#3ad29f",
  sell: "#ff8080",
  wait: "#f2bd52",
} as const;
export type Color = keyof typeof COLORS;

interface TextStyle {
  left: number;
  top: number;
  sizePx: number;
  isBold?: boolean;
}

/** 72 dots per inch, so that a point is a pixel. */
const DPI = 72;

/** A line of text; none if it is empty, which cannot be drawn. */
export function text(markup: ReturnType<typeof html>, style: TextStyle): OverlayOptions[] {
  const { left, top, sizePx, isBold = false } = style;
  if (markup.text.includes("></span>")) return [];
  const face = isBold ? FACES.bold : FACES.regular;
  const font = `${face.name} ${sizePx}`;
  const input = { text: { text: markup.text, font, fontfile: face.file, rgba: true, dpi: DPI } };
  return [{ input, left, top }];
}

const { resolve } = createRequire(import.meta.url);
const FACES = {
  regular: {
    name: "Geist",
    file: resolve("@expo-google-fonts/geist/400Regular/Geist_400Regular.ttf"),
  },
  bold: {
    name: "Geist SemiBold",
    file: resolve("@expo-google-fonts/geist/600SemiBold/Geist_600SemiBold.ttf"),
  },
} as const;
