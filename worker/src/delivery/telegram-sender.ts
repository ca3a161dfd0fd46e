import type { Database } from "@shared/database/database.ts";
import type { Api } from "grammy";
import type { ChannelSender, SendResult } from "./channel-sender.ts";
import { sendHtml, telegramFailure } from "./telegram-api.ts";
import type { TelegramPace } from "./telegram-pace.ts";
import {
  type NamedSignals,
  signalIdsOf,
  type TelegramMessage,
  telegramText,
} from "./telegram-text.ts";

/** The user has blocked the bot, or deleted their account. */
const FORBIDDEN = 403;

interface TelegramSenderDeps {
  database: Pick<Database, "signals">;
  api: Api;
  pace: TelegramPace;
  /** Of the web pages. */
  origin: string;
  /** One worker sends at a time, so that the limits hold over all workers. */
  isReady: () => boolean;
}

/** Sends messages to Telegram chats, within the limits of Telegram. */
export const telegramSender = (deps: TelegramSenderDeps): ChannelSender => ({
  isReady: deps.isReady,
  async send(message, abort) {
    if (message.target.kind !== "telegram") throw new Error("The target is no Telegram chat.");
    const { chatId } = message.target;
    const signals = await findSignals(deps.database, message);
    const text = telegramText(message, { signals, origin: deps.origin });
    try {
      return await deps.pace.run(chatId, abort, async () => {
        if (!deps.isReady()) return notSent("Another worker has begun to send.");
        await sendHtml(deps.api, { chatId, text }, abort);
        return { outcome: "delivered", responseStatus: 200, error: null };
      });
    } catch (error) {
      return abort.aborted ? notSent("There was no response in time.") : resultOf(error);
    }
  },
});

const notSent = (error: string): SendResult => ({ outcome: "retry", responseStatus: null, error });

function resultOf(cause: unknown): SendResult {
  const failure = telegramFailure(cause);
  if (!failure) throw cause;
  const { status: responseStatus, retryAfterMs, error } = failure;
  return {
    outcome: responseStatus === FORBIDDEN ? "gone" : "retry",
    ...{ responseStatus, error, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  };
}

/** Events about a trade name the signal only by its id. */
async function findSignals(
  { signals }: Pick<Database, "signals">,
  message: TelegramMessage,
): Promise<NamedSignals> {
  const ids = signalIdsOf(message);
  if (ids.length === 0) return new Map();
  const found = await signals
    .find({ _id: { $in: ids } })
    .select({ symbol: 1, timeframe: 1, "analysis.final_signal": 1 })
    .lean();
  return new Map(
    found.map(({ _id, symbol, timeframe, analysis }) => [
      _id.toString(),
      { symbol, timeframe, kind: analysis?.final_signal },
    ]),
  );
}
