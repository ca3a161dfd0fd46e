/** Colours of what stands out: text and links, the same under the pointer, and text on a filled ground. */
export interface AccentColors {
  accent: string;
  strong: string;
  on: string;
}

export const THEMES = ["dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

/** The product's own accent. */
export const DEFAULT_ACCENT: Record<Theme, AccentColors> = {
  dark: { accent: "#6aa6ff", strong: "#8bbaff", on: "#06121f" },
  light: { accent: "#1a5fd0", strong: "#134ba8", on: "#ffffff" },
};

/** The grounds of `theme.css` on which an accent is hardest to read, and towards what it is changed until it is not. */
const GROUNDS = {
  dark: { raised: "#18202a", towards: "#ffffff" },
  light: { raised: "#e9edf2", towards: "#000000" },
} as const;

/** Of text, with a reserve for tinted grounds. WCAG asks for 4.5. */
const MIN_CONTRAST = 5;
const STEPS = 50;
/** How much further the colour under the pointer goes. */
const STRONGER = 0.2;

/** The accent of a theme for a chosen colour, which is made lighter or darker until its texts can be read. */
export function accentOf(color: string, theme: Theme): AccentColors {
  const { raised, towards } = GROUNDS[theme];
  const steps = Array.from({ length: STEPS + 1 }, (_, step) => mix(color, towards, step / STEPS));
  const accent = steps.find((step) => contrast(step, raised) >= MIN_CONTRAST) ?? towards;
  const { on: dark } = DEFAULT_ACCENT.dark;
  const { on: light } = DEFAULT_ACCENT.light;
  const on = contrast(accent, dark) >= contrast(accent, light) ? dark : light;
  // Towards what stands on it, its text could no longer be read.
  const away = on === dark ? "#ffffff" : "#000000";
  return { accent, strong: mix(accent, away, STRONGER), on };
}

/** Contrast of two colours by WCAG, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Red, green and blue of `#rrggbb`, from 0 to 255. */
const channels = (color: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

function mix(color: string, other: string, share: number): string {
  const others = channels(other);
  const mixed = channels(color).map((value, index) =>
    Math.round(value + ((others[index] ?? 0) - value) * share),
  );
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

const WEIGHTS = [0.2126, 0.7152, 0.0722];

const luminance = (color: string): number =>
  channels(color).reduce(
    (sum, value, index) => sum + linear(value / 255) * (WEIGHTS[index] ?? 0),
    0,
  );

const linear = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
