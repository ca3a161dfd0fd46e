import { marketsSchema } from "@shared/contract/markets.ts";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { axisDecimals, formatChange } from "../../../lib/format.ts";
import { readPublic } from "../../../lib/public-api.ts";

const BOX = { width: 72, height: 22 };

export function Change({ percent }: { percent: number }) {
  return <span className={percent < 0 ? "text-sell" : "text-buy"}>{formatChange(percent)}</span>;
}

export function Sparkline({ closes, falling }: { closes: readonly number[]; falling: boolean }) {
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 -1.5 ${BOX.width} ${BOX.height + 3}`}
      className={`h-6 w-18 ${falling ? "stroke-sell" : "stroke-buy"}`}
    >
      <polyline
        points={linePoints(closes, BOX)}
        fill="none"
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

export function formatQuote(price: number): string {
  const digits = axisDecimals(price);
  return price.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export function linePoints(
  values: readonly number[],
  box: { width: number; height: number },
): string {
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  const step = box.width / Math.max(1, values.length - 1);
  return values
    .map((value, index) => {
      const y = box.height - ((value - low) / range) * box.height;
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
}

interface ScrollBoxProps {
  title: string;
  children: ReactNode;
  className: string;
}

/** Scrollable content. It takes the Tab focus only when it overflows, as not every browser does this itself. */
export function ScrollBox({ title, children, className }: ScrollBoxProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const overflows =
        element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth;
      element.tabIndex = overflows ? 0 : -1;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <section ref={box} aria-label={title} className={`-outline-offset-2 ${className}`}>
      {children}
    </section>
  );
}

export const NO_PRICES = "Prices will appear here in a moment.";
export const PRICES_FAILED = "Market prices are not available at the moment.";

const REFRESH_INTERVAL_MS = 60_000;

export const useMarkets = () =>
  useQuery({
    queryKey: ["markets"],
    queryFn: ({ signal }) => readPublic({ path: "/markets", schema: marketsSchema, signal }),
    refetchInterval: REFRESH_INTERVAL_MS,
    staleTime: REFRESH_INTERVAL_MS,
  });
