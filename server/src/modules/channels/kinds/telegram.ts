import { randomBytes } from "node:crypto";
import { TELEGRAM_LINK_MINUTES, telegram } from "@shared/contract/channel-kinds/telegram.ts";
import { z } from "zod";
import { unavailable } from "../../../http/errors.ts";
import { type MakeTarget, notConfigured, sha256 } from "./new-target.ts";

export const telegramTarget: MakeTarget = async ({ settings, now }) => {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: apiUrl } = settings;
  if (!token) throw notConfigured(telegram.name);
  const code = randomBytes(16).toString("base64url");
  const expiresAt = new Date(now().getTime() + TELEGRAM_LINK_MINUTES * 60_000);
  return {
    target: null,
    label: telegram.name,
    uniqueKey: "telegram",
    link: { codeHash: sha256(code), expiresAt },
    notice:
      "A link was made that connects a Telegram chat, to which messages of your account will be sent.",
    shown: { link: `https://t.me/${await botName(apiUrl, token)}?start=${code}` },
  };
};

const BOT_TIMEOUT_MS = 5_000;
const botSchema = z.object({ result: z.object({ username: z.string() }) });
const botNames = new Map<string, string>();

/** Asks once for each bot. The error has no cause, whose address contains the token. */
async function botName(apiUrl: string, token: string): Promise<string> {
  const url = `${apiUrl}/bot${token}/getMe`;
  const known = botNames.get(url);
  if (known) return known;
  const response = await fetch(url, { signal: AbortSignal.timeout(BOT_TIMEOUT_MS) }).catch(
    () => null,
  );
  const bot = botSchema.safeParse(await response?.json().catch(() => null)).data;
  if (!bot) throw unavailable();
  botNames.set(url, bot.result.username);
  return bot.result.username;
}
