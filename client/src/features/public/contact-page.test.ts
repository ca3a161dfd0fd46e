import { expect, test } from "vitest";
import { telegramUrl, whatsAppUrl } from "./contact-page.tsx";

test.each([
  ["+1 (555) 010-0199", "https://wa.me/15550100199"],
  ["https://wa.me/message/ABC", "https://wa.me/message/ABC"],
])("the WhatsApp setting %j leads to %s", (setting, url) => {
  expect(whatsAppUrl(setting)).toBe(url);
});

test.each([
  ["@signals_support", "https://t.me/signals_support"],
  ["signals_support", "https://t.me/signals_support"],
  ["https://t.me/+invite", "https://t.me/+invite"],
])("the Telegram setting %j leads to %s", (setting, url) => {
  expect(telegramUrl(setting)).toBe(url);
});
