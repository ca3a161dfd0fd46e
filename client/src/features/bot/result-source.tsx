import type { SignalSource } from "@shared/contract/signal.ts";
import { formatDateTime, formatPrice } from "../../lib/format.ts";
import { sourceTexts as texts } from "./texts.ts";

/** Where the candles and the judgement came from. */
export function ResultSource({ source }: { source: SignalSource }) {
  const facts = sourceFacts(source);
  if (facts.length === 0) return null;
  return (
    <ul
      aria-label={texts.source}
      className="figures flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-4 text-sm text-ink-faint"
    >
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

function sourceFacts(source: SignalSource): string[] {
  const { data, provider, analyst, model, last_candle_at, price } = source;
  return [
    data === "none" ? "" : `${texts.data[data]}: ${provider}`,
    analyst === "none" ? "" : `${texts.analyst[analyst]}: ${model}`,
    last_candle_at ? `${texts.lastCandle}: ${formatDateTime(last_candle_at)}` : "",
    price === null ? "" : `${texts.price}: ${formatPrice(price)}`,
  ].filter((fact) => fact !== "");
}
