import type { Failure } from "./bot-store.ts";
import { brokenAnalysis } from "./broken-analysis.ts";
import { ResultCard } from "./result-card.tsx";

/** What is shown in place of a signal when none could be asked for. */
export function BrokenResult({ failure }: { failure: Failure }) {
  const { request, requestedAt } = failure.attempt;
  return (
    <ResultCard
      symbol={request.symbol}
      timeframe={request.timeframe}
      createdAt={new Date(requestedAt).toISOString()}
      analysis={brokenAnalysis(failure.text)}
    />
  );
}
