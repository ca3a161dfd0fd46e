import { z } from "zod";
import { emailSchema } from "./authentication.ts";
import { reauthenticationSchema } from "./reauthentication.ts";

/** Of the web pages. Emails call it {@link DEFAULT_SENDER_NAME}. */
export const DEFAULT_PRODUCT_NAME = "AI Trading Bot";
export const DEFAULT_SENDER_NAME = "AI Trading Signals";

/** After it has been encoded again. */
export const MAX_LOGO_BYTES = 256 * 1_024;

/** A phone number with country code, or an https address. */
export const WHATSAPP = /^(https:\/\/\S+|\+?\d[\d ()-]{5,23})$/;
/** A user name, or an https address. */
export const TELEGRAM = /^(https:\/\/\S+|@?\w{4,32})$/;

const MAX_ADDRESS_LENGTH = 200;

const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max, { error: `Use at most ${max} characters.` })
    .regex(/^\P{Cc}*$/u, { error: "Use one line." });

/** A text that may be empty. */
const emptyOr = (pattern: RegExp, error: string) =>
  z
    .string()
    .trim()
    .max(MAX_ADDRESS_LENGTH, { error: `Use at most ${MAX_ADDRESS_LENGTH} characters.` })
    .refine((text) => text === "" || pattern.test(text), { error });

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** How the operator's product presents itself. An empty text stands for the default, or for what is not offered. */
export const brandingSchema = z
  .object({
    product_name: line(40),
    accent_color: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^(#[0-9a-f]{6})?$/, { error: "Use a colour such as #1a5fd0." }),
    contact_email: z
      .string()
      .trim()
      .refine((text) => text === "" || emailSchema.safeParse(text).success, {
        error: "Enter a valid email address.",
      }),
    contact_whatsapp: emptyOr(
      WHATSAPP,
      "Use a phone number with country code or an https address.",
    ),
    contact_telegram: emptyOr(TELEGRAM, "Use a user name or an https address."),
    time_zone: z
      .string()
      .trim()
      .refine((name) => name === "" || isTimeZone(name), {
        error: "Use the name of a time zone, such as Europe/Berlin.",
      }),
    demo_notice: line(200),
  })
  .meta({ id: "Branding" });
export type Branding = z.infer<typeof brandingSchema>;

export const NO_BRANDING: Branding = {
  product_name: "",
  accent_color: "",
  contact_email: "",
  contact_whatsapp: "",
  contact_telegram: "",
  time_zone: "",
  demo_notice: "",
};

/** Path of the logo; null without one. */
const logoSchema = z.string().nullable();

/** For administrators: what is stored. */
export const storedBrandingSchema = brandingSchema
  .extend({ logo: logoSchema })
  .meta({ id: "StoredBranding" });
export type StoredBranding = z.infer<typeof storedBrandingSchema>;

/** Omitted fields stay unchanged. The caller confirms it with their own credentials. */
export const brandingUpdateSchema = brandingSchema
  .partial()
  .extend(reauthenticationSchema.shape)
  .meta({ id: "BrandingUpdate" });
export type BrandingUpdate = z.infer<typeof brandingUpdateSchema>;

/** For everyone: how pages look, and how the operator is reached. What is not offered is empty. */
export const publicBrandingSchema = z
  .object({
    product_name: z.string(),
    /** Path of the logo. */
    logo: z.string(),
    /** Style sheet of the accent; empty for the product's own. */
    style: z.string(),
    demo_notice: z.string(),
    contact_email: z.string(),
    contact_whatsapp: z.string(),
    contact_telegram: z.string(),
  })
  .meta({ id: "PublicBranding" });
export type PublicBranding = z.infer<typeof publicBrandingSchema>;
