import { findInstrument } from "@shared/contract/instruments.ts";
import type { ReactNode } from "react";
import { useBot } from "./bot-store.ts";
import { MarketChart } from "./market-chart.tsx";

interface PreviewChartProps {
  /** Shown in its place until it is there, and where it does not load. */
  children: ReactNode;
  className: string;
}

/** The chart of the market that the form names, as soon as that is one of the product's own. */
export function PreviewChart({ children, className }: PreviewChartProps) {
  const { symbol, timeframe } = useBot(({ inputs }) => inputs);
  const known = findInstrument(symbol.trim().toUpperCase());
  if (!known) return <div className={className}>{children}</div>;
  return (
    <MarketChart symbol={known.symbol} timeframe={timeframe} className={className} early>
      {children}
    </MarketChart>
  );
}
