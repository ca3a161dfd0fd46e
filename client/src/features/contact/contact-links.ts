const isAddress = (setting: string): boolean => setting.startsWith("https://");

/** Address of a WhatsApp chat, from a phone number with country code or an address. */
export function whatsAppUrl(setting: string): string {
  if (isAddress(setting)) return setting;
  return `https://wa.me/${setting.replaceAll(/\D/g, "")}`;
}

/** Address of a Telegram chat, from a user name or an address. */
export function telegramUrl(setting: string): string {
  if (isAddress(setting)) return setting;
  return `https://t.me/${encodeURIComponent(setting.replace(/^@/, ""))}`;
}
