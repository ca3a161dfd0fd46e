import type { Candle } from "@shared/contract/candle.ts";
import type { SignalRecord } from "@shared/database/models/signal.ts";
import {
  type AdviceReply,
  type AdviceRequest,
  type Analyst,
  NO_ADVICE,
} from "../analysis/analyst.ts";
import { promptProvenance } from "../analysis/openai/prompt.ts";
import { readAdvice } from "../analysis/openai/reply.ts";
import type { SignalProvenance } from "../analysis/provenance.ts";
import type { CandleSeries, MarketData } from "../market-data/market-data.ts";
import { ProviderError } from "../market-data/provider-error.ts";

export class ReproduceError extends Error {
  override readonly name = "ReplayError";
}

/** Serves only the candles and the rate of a stored signal. */
export function storedMarketData(options: {
  signal: Pick<SignalRecord, "symbol">;
  receipt: SignalProvenance;
  candles: Candle[];
}): MarketData {
  const { signal, receipt, candles } = options;
  const { provider, data, notes, market } = receipt.candles;
  const series: CandleSeries = { candles, provider, data, notes, ...(market && { market }) };
  return {
    async candles({ symbol }) {
      if (symbol === signal.symbol) return series;
      const rate = receipt.quoteToUsd;
      if (rate !== null) return { ...series, candles: [rateCandle(rate)] };
      throw new ProviderError({
        provider,
        failure: "unknown-symbol",
        message: `${symbol} is not in the receipt`,
      });
    },
  };
}

const rateCandle = (rate: number): Candle => ({
  time: 0,
  open: rate,
  high: rate,
  low: rate,
  close: rate,
  volume: 0,
});

/** Returns the stored replies of a model in order. */
export function storedAnalyst(receipt: SignalProvenance): Analyst {
  let asked = 0;
  return {
    name: "openai",
    version: receipt.analystVersion,
    async advise(request) {
      const exchange = receipt.exchanges[asked];
      asked += 1;
      if (!exchange) throw new ReproduceError("the stored replies are not accepted any more");
      return toReply(exchange, { receipt, request });
    },
  };
}

function toReply(
  { rawReply, cutOff, rejectedFor }: SignalProvenance["exchanges"][number],
  { receipt, request }: { receipt: SignalProvenance; request: AdviceRequest },
): AdviceReply {
  const common = { model: receipt.model, prompt: promptProvenance(request), rawReply };
  if (cutOff) return { ...common, advice: NO_ADVICE, cutOff: rejectedFor.join(" ") };
  try {
    const { advice, chart } = readAdvice(rawReply);
    return {
      ...common,
      advice,
      ...(request.chartImage !== undefined && { chart }),
    };
  } catch (error) {
    // A ProviderError would be retried.
    throw new ReproduceError("the stored reply cannot be read any more", { cause: error });
  }
}
