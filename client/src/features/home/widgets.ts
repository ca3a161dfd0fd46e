import type { Theme } from "../../lib/theme.ts";
import type { Widget } from "../../ui/widget-box.tsx";
import { homeTexts } from "./texts.ts";

/**
 * The product's symbols as TradingView calls them: names from the contract's instruments, of which the rest would weigh too
 * much on a visitor's first page. A test holds the two together.
 */
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

/** A widget in each of the looks that the page may have. */
function inBothThemes(widget: Widget): Record<Theme, Widget> {
  const inTheme = (colorTheme: Theme): Widget => ({
    ...widget,
    config: { colorTheme, isTransparent: false, locale: "en", ...widget.config },
  });
  return { dark: inTheme("dark"), light: inTheme("light") };
}

export const tickerWidgets = inBothThemes({
  name: "ticker-tape",
  title: homeTexts.tickerTitle,
  config: {
    displayMode: "compact",
    showSymbolLogo: true,
    symbols: [...crypto, ...commodities, ...forex, ...indices].map(({ s, d }) => ({
      proName: s,
      title: d,
    })),
  },
});

export const overviewWidgets = inBothThemes({
  name: "market-overview",
  title: homeTexts.overviewTitle,
  config: {
    width: "100%",
    height: 400,
    dateRange: "1D",
    showChart: true,
    showSymbolLogo: true,
    showFloatingTooltip: true,
    tabs: [
      { title: homeTexts.crypto, symbols: crypto },
      { title: homeTexts.commodities, symbols: commodities },
      { title: homeTexts.forex, symbols: forex },
      { title: homeTexts.indices, symbols: indices },
    ],
  },
});

export const screenerWidgets = inBothThemes({
  name: "screener",
  title: homeTexts.cryptoTitle,
  config: {
    width: "100%",
    height: 500,
    screener_type: "crypto_mkt",
    displayCurrency: "USD",
    defaultColumn: "overview",
  },
});
