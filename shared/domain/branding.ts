import { accentOf, THEMES, type Theme } from "@shared/contract/accent.ts";
import {
  type Branding,
  brandingSchema,
  DEFAULT_PRODUCT_NAME,
  DEFAULT_SENDER_NAME,
  NO_BRANDING,
} from "@shared/contract/branding.ts";
import { type Brand, brandWith } from "@shared/runtime/compose-email.ts";
import type { ClientSession } from "mongoose";
import type { Database } from "../database/database.ts";

export const BRANDING_DOCUMENT = { _id: "branding" };

/** What an administrator has stored; all texts are empty before that. */
export async function readBranding(
  { branding }: Database,
  session: ClientSession | null = null,
): Promise<Branding> {
  const stored = await branding
    .findOne(BRANDING_DOCUMENT)
    .select({ logo: 0 })
    .session(session)
    .lean();
  return brandingSchema.parse({ ...NO_BRANDING, ...stored });
}

/** How emails and messages present the product. */
export async function readBrand(database: Database): Promise<Brand> {
  const {
    product_name: name,
    accent_color: color,
    time_zone: timeZone,
  } = await readBranding(database);
  const accent = color === "" ? undefined : accentOf(color, "light");
  return brandWith({
    name: name || DEFAULT_SENDER_NAME,
    isOwnName: name !== "",
    timeZone: timeZone || "UTC",
    ...(accent && { button: accent.accent, onButton: accent.on }),
  });
}

export const LOGO_PATH = "/branding/logo";

/** What notifications of browsers show of the product, where it has a name or a logo of its own. */
export async function readPushLook(
  { branding }: Database,
  apiUrl: string,
): Promise<{ product?: string; icon?: string }> {
  const fields = { product_name: 1, "logo.sha256": 1 };
  const stored = await branding.findOne(BRANDING_DOCUMENT).select(fields).lean();
  return {
    ...(stored?.product_name && { product: stored.product_name }),
    ...(stored?.logo && { icon: `${apiUrl}${LOGO_PATH}?v=${stored.logo.sha256}` }),
  };
}

export const productName = ({ product_name: name }: Pick<Branding, "product_name">): string =>
  name || DEFAULT_PRODUCT_NAME;

const SELECTORS: Record<Theme, string> = { dark: ":root", light: '[data-theme="light"]' };

/** The style sheet of logo and accent; empty for the product's own. @param logo its address */
export const styleOf = ({ accent_color }: Pick<Branding, "accent_color">, logo: string): string =>
  (accent_color && accentStyle(accent_color)) + (logo && logoStyle(logo));

const logoStyle = (logo: string): string =>
  `.brand-mark{background:url("${logo}") center/contain no-repeat;border-radius:0}.brand-mark::after{display:none}`;

function accentStyle(color: string): string {
  return THEMES.map((theme) => {
    const { accent, strong, on } = accentOf(color, theme);
    return `${SELECTORS[theme]}{--color-accent:${accent};--color-accent-strong:${strong};--color-on-accent:${on}}`;
  }).join("");
}
