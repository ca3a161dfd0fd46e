import type { OutgoingHttpHeaders } from "node:http";
import type { webhook } from "@shared/contract/channel-kinds/webhook.ts";
import {
  type Analysis,
  type SignalResponse,
  signalResponseSchema,
} from "@shared/contract/signal.ts";
import type { z } from "zod";
import type { ChannelMessage, SendResult } from "../../../channel-sender.ts";
import type { MessageText } from "../../../describe-message.ts";
import type { PublicResponse } from "../../../post-publicly.ts";

export type WebhookTarget = z.infer<typeof webhook.target>;

export interface FormatContext {
  message: ChannelMessage;
  target: WebhookTarget;
  /** What the message says to people. */
  describe: () => Promise<MessageText>;
  /** Of the web pages. */
  origin: string;
}

export interface WebhookRequest {
  url?: string;
  headers: OutgoingHttpHeaders;
  body: string;
}

/** How a webhook is written, and what its receiver answers. */
export interface WebhookFormat {
  /** Null if its receiver is not sent messages of this type. */
  compose(context: FormatContext): Promise<WebhookRequest | null>;
  /** Statuses with which the receiver refuses messages for good. */
  goneStatuses: readonly number[];
  /** If its answers say more than their status. */
  toResult?(response: PublicResponse): SendResult;
}

/** A trade, as formats for programs that act on trades write it. */
export interface Trade {
  id: string;
  symbol: string;
  timeframe: string;
  side: "BUY" | "SELL";
  entry: number;
  stopLoss: number;
  takeProfit: number;
  confidence: number;
}

/** Tests are of a symbol that no exchange has, so that a program which acts on them trades nothing. */
const TEST_TRADE: Trade = {
  id: "test",
  symbol: "TEST/USDT",
  timeframe: "1h",
  side: "BUY",
  entry: 100,
  stopLoss: 95,
  takeProfit: 110,
  confidence: 72,
};

/** The trade that a message announces; null for all other messages. */
export function tradeOf({ type, data }: Pick<ChannelMessage, "type" | "data">): Trade | null {
  if (type === "channel.test") return TEST_TRADE;
  return type === "signal.completed" ? tradeOfSignal(signalResponseSchema.parse(data)) : null;
}

function tradeOfSignal({ signal_id: id, symbol, timeframe, analysis }: SignalResponse) {
  const levels = analysis && levelsOf(analysis);
  return levels && { id, symbol, timeframe, confidence: analysis.confidence, ...levels };
}

function levelsOf({ final_signal: side, ...levels }: Analysis) {
  const { entry, stop_loss: stopLoss, take_profit: takeProfit } = levels;
  const isTrade = side !== "WAIT" && entry !== null && stopLoss !== null && takeProfit !== null;
  return isTrade ? { side, entry, stopLoss, takeProfit } : null;
}
