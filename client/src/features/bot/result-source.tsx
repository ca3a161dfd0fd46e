import type { SignalSource } from "@shared/contract/signal.ts";
import { formatDuration, formatPrice } from "../../lib/format.ts";
import { LocalTime } from "../../ui/local-time.tsx";
import { sourceTexts as texts } from "./texts.ts";

interface ResultSourceProps {
  source: SignalSource;
  /** From the close of the last candle to the result, in milliseconds. */
  delayMs: number | undefined;
}

/** Where the candles and the judgement came from, and how fresh they were. */
export function ResultSource({ source, delayMs }: ResultSourceProps) {
  const { data, provider, analyst, model, last_candle_at, analysed_at, price } = source;
  const facts = [
    data === "none" ? "" : `${texts.data[data]}: ${provider}`,
    analyst === "none" ? "" : `${texts.analyst[analyst]}: ${model}`,
    price === null ? "" : `${texts.price}: ${formatPrice(price)}`,
    delayMs === undefined ? "" : texts.delay(formatDuration(delayMs)),
  ].filter((fact) => fact !== "");
  if (facts.length === 0 && !last_candle_at) return null;
  return (
    <ul
      aria-label={texts.source}
      className="figures flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-4 text-sm text-ink-faint"
    >
      {last_candle_at && (
        <li>
          {texts.lastCandle}: <LocalTime iso={last_candle_at} focusable />
        </li>
      )}
      {analysed_at && (
        <li>
          {texts.analysed}: <LocalTime iso={analysed_at} focusable />
        </li>
      )}
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}
