import { findInstrument } from "@shared/contract/instruments.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { type ComponentProps, useMemo } from "react";
import { useTheme } from "../../../lib/theme.ts";
import { type Widget, WidgetBox } from "../../../ui/widget.tsx";

type BoxProps = Omit<ComponentProps<typeof WidgetBox>, "widget" | "wanted">;

interface TradingViewProps extends BoxProps {
  symbol: string;
  timeframe: Timeframe;
}

/** TradingView's chart of a market, in the user's time zone and theme. */
export function TradingViewChart({ symbol, timeframe, ...box }: TradingViewProps) {
  const theme = useTheme();
  const widget = useMemo((): Widget => {
    return {
      name: "advanced-chart",
      title: `Live chart of ${symbol}, ${timeframe}`,
      config: {
        symbol: tradingViewSymbol(symbol),
        interval: tradingViewInterval(timeframe),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        theme,
        style: "1",
        locale: "en",
        autosize: true,
        allow_symbol_change: false,
        hide_side_toolbar: true,
        save_image: false,
      },
    };
  }, [symbol, timeframe, theme]);
  return <WidgetBox key={`${symbol} ${timeframe}`} widget={widget} {...box} />;
}

/** Minutes, or `D` for a day. */
export const tradingViewInterval = (timeframe: Timeframe): string =>
  timeframe === "1d" ? "D" : String(TIMEFRAME_MS[timeframe] / 60_000);

export function tradingViewSymbol(symbol: string): string {
  return findInstrument(symbol)?.tradingView ?? `BINANCE:${symbol.replace(/[^A-Z0-9]/g, "")}`;
}
