import { DEFAULT_CONTACT_EMAIL } from "@shared/contract/constants.ts";

/** Origin of the API, without a trailing slash. */
export const apiOrigin = (import.meta.env.VITE_API_URL ?? "http://localhost:8000").replace(
  /\/+$/,
  "",
);

/** Contact details of the operator. Channels without a setting are not offered. */
export const contactSettings = {
  whatsapp: import.meta.env.VITE_CONTACT_WHATSAPP?.trim(),
  telegram: import.meta.env.VITE_CONTACT_TELEGRAM?.trim(),
  email: import.meta.env.VITE_CONTACT_EMAIL?.trim() || DEFAULT_CONTACT_EMAIL,
} as const;
