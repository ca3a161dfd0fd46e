import type { Timeframe } from "@shared/contract/candle.ts";
import { type ComponentProps, useMemo } from "react";
import { useTheme } from "../../lib/theme.ts";
import { tradingViewInterval, tradingViewSymbol } from "../../lib/trading-view.ts";
import { type Widget, WidgetBox } from "../../ui/widget-box.tsx";
import { chartTexts as texts } from "./texts.ts";

type BoxProps = Omit<ComponentProps<typeof WidgetBox>, "widget" | "wanted">;

interface MarketChartProps extends BoxProps {
  symbol: string;
  timeframe: Timeframe;
}

/** TradingView's chart of a market, in the reader's time zone and theme. */
export function MarketChart({ symbol, timeframe, ...box }: MarketChartProps) {
  const theme = useTheme();
  const widget = useMemo((): Widget => {
    return {
      name: "advanced-chart",
      title: texts.liveChartOf(symbol, timeframe),
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
        support_host: "https://www.tradingview.com",
      },
    };
  }, [symbol, timeframe, theme]);
  return <WidgetBox key={`${symbol} ${timeframe}`} widget={widget} {...box} />;
}
