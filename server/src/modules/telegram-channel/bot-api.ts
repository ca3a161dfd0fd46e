import type { Settings } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { unavailable } from "../../http/errors.ts";

const BOT_TIMEOUT_MS = 5_000;

type BotSettings = Pick<Settings, "TELEGRAM_BOT_TOKEN" | "TELEGRAM_API_URL">;

const answerSchema = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
});
type BotAnswer = z.infer<typeof answerSchema>;

/**
 * Calls a method of the Bot API. An error of it is an answer that is not `ok`.
 * @throws AppError unavailable if Telegram cannot be reached; without its cause, whose address contains the token
 */
export async function callBot(
  { TELEGRAM_API_URL: root, TELEGRAM_BOT_TOKEN: token }: BotSettings,
  method: string,
  parameters: object = {},
): Promise<BotAnswer> {
  const response = await fetch(`${root}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(parameters),
    signal: AbortSignal.timeout(BOT_TIMEOUT_MS),
  }).catch(() => null);
  const answer = answerSchema.safeParse(await response?.json().catch(() => null)).data;
  if (!answer || (response?.status ?? 500) >= 500) throw unavailable();
  return answer;
}
