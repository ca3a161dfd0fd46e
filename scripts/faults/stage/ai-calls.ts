import type { SignalRecord } from "@shared/node/models/signal.ts";
import { chatRequestSchema, receivedChat } from "@shared/testing/stand-in-openai-chat.ts";

/** What a prompt says of its signal. */
const PROMPT = /Symbol: "(.+?)".*?\nTimeframe: (\S+)\n.*?\nClosed candles \((\d+)\)/s;

/** What distinguishes the signals of a stage in their prompts. */
export type PromptSubject = Pick<SignalRecord, "symbol" | "timeframe" | "limit">;

/** The same for all signals whose prompts cannot be distinguished. */
export const promptKey = ({ symbol, timeframe, limit }: PromptSubject): string =>
  [symbol, timeframe, limit].join(" ");

/** Counts the calls of the AI by the signals that they were made for. */
export class AiCalls {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /**
   * @param body of a chat request
   * @throws Error for a prompt without a market
   */
  record(body: string): void {
    const chat = receivedChat({}, chatRequestSchema.parse(JSON.parse(body)));
    const [, symbol, timeframe, limit] = PROMPT.exec(chat.text) ?? [];
    if (!symbol || !timeframe || !limit) throw new Error(`no market in the prompt ${chat.text}`);
    this.#total += 1;
    const key = [symbol, timeframe, limit].join(" ");
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** All calls. */
  get total(): number {
    return this.#total;
  }

  /** Calls for the signals that have this key. */
  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
