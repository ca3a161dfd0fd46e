import { type ReactNode, useSyncExternalStore } from "react";
import { noopSubscribe } from "../../../lib/hydration.ts";
import { type Theme, useTheme } from "../../../lib/theme.ts";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { type Widget, WidgetBox, widgetSkeleton } from "../../../ui/widget.tsx";

/** Loaded only when a widget does not load. */
const TickerPanel = lazyComponent(
  () => import("./ticker-panel.tsx"),
  "TickerPanel",
  widgetSkeleton,
);
const OverviewPanel = lazyComponent(
  () => import("./overview-panel.tsx"),
  "OverviewPanel",
  widgetSkeleton,
);
const CryptoPanel = lazyComponent(
  () => import("./crypto-panel.tsx"),
  "CryptoPanel",
  widgetSkeleton,
);

const prefersStillness = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export function TickerTape() {
  // The widget's tape cannot be stopped; ours does not move.
  const still = useSyncExternalStore(noopSubscribe, prefersStillness, () => false);
  return (
    <WidgetBox
      widget={tickerWidgets[useTheme()]}
      wanted={!still}
      className="h-[46px] border-b border-line bg-surface"
    >
      <TickerPanel />
    </WidgetBox>
  );
}

export function MarketOverview() {
  return (
    <Section id="overview" title="Market Overview">
      <WidgetBox widget={overviewWidgets[useTheme()]} className={`${boxClass} h-[400px]`}>
        <OverviewPanel />
      </WidgetBox>
    </Section>
  );
}

export function CryptoMarkets() {
  return (
    <Section id="crypto" title="Cryptocurrency Markets">
      <WidgetBox widget={screenerWidgets[useTheme()]} className={`${boxClass} h-[500px]`}>
        <CryptoPanel />
      </WidgetBox>
    </Section>
  );
}

const boxClass = "mt-6 rounded-card border border-line bg-surface";

function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="page pb-14 sm:pb-20">
      <h2 id={id} className="text-2xl font-semibold tracking-tight sm:text-3xl">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** A copy of the contract's instruments, whose import would make the first load too large; a test compares the two. */
const crypto = [
  { s: "BINANCE:BTCUSDT", d: "BTC/USDT" },
  { s: "BINANCE:ETHUSDT", d: "ETH/USDT" },
  { s: "BINANCE:BNBUSDT", d: "BNB/USDT" },
  { s: "BINANCE:ADAUSDT", d: "ADA/USDT" },
  { s: "BINANCE:SOLUSDT", d: "SOL/USDT" },
  { s: "BINANCE:XRPUSDT", d: "XRP/USDT" },
  { s: "BINANCE:LTCUSDT", d: "LTC/USDT" },
  { s: "BINANCE:DOGEUSDT", d: "DOGE/USDT" },
];
const commodities = [
  { s: "OANDA:XAUUSD", d: "XAU/USD" },
  { s: "OANDA:XAGUSD", d: "XAG/USD" },
  { s: "OANDA:WTICOUSD", d: "WTI" },
  { s: "OANDA:BCOUSD", d: "BRENT" },
];
const forex = [
  { s: "FX:EURUSD", d: "EUR/USD" },
  { s: "FX:GBPUSD", d: "GBP/USD" },
  { s: "FX:AUDUSD", d: "AUD/USD" },
  { s: "FX:USDJPY", d: "USD/JPY" },
];
const indices = [
  { s: "OANDA:US30USD", d: "US30" },
  { s: "OANDA:NAS100USD", d: "NAS100" },
  { s: "OANDA:SPX500USD", d: "SPX500" },
];

function inBothThemes(widget: Widget): Record<Theme, Widget> {
  const inTheme = (colorTheme: Theme): Widget => ({
    ...widget,
    config: { colorTheme, isTransparent: false, locale: "en", ...widget.config },
  });
  return { dark: inTheme("dark"), light: inTheme("light") };
}

export const tickerWidgets = inBothThemes({
  name: "ticker-tape",
  title: "Market prices",
  config: {
    displayMode: "compact",
    showSymbolLogo: true,
    symbols: [...crypto, ...commodities, ...forex, ...indices].map(({ s, d }) => ({
      proName: s,
      title: d,
    })),
  },
});

const overviewWidgets = inBothThemes({
  name: "market-overview",
  title: "Market Overview",
  config: {
    width: "100%",
    height: 400,
    dateRange: "1D",
    showChart: true,
    showSymbolLogo: true,
    showFloatingTooltip: true,
    tabs: [
      { title: "Crypto", symbols: crypto },
      { title: "Metals and oil", symbols: commodities },
      { title: "Forex", symbols: forex },
      { title: "Indices", symbols: indices },
    ],
  },
});

const screenerWidgets = inBothThemes({
  name: "screener",
  title: "Cryptocurrency Markets",
  config: {
    width: "100%",
    height: 500,
    screener_type: "crypto_mkt",
    displayCurrency: "USD",
    defaultColumn: "overview",
  },
});
