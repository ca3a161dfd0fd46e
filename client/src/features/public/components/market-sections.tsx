import { type ReactNode, useSyncExternalStore } from "react";
import { noopSubscribe } from "../../../lib/hydration.ts";
import { OVERVIEW_TABS } from "../../../lib/listed-markets.ts";
import { type Theme, useTheme } from "../../../lib/theme.ts";
import { lazyComponent } from "../../../ui/lazy-component.tsx";
import { type Widget, WidgetBox, widgetSkeleton } from "../../../ui/widget.tsx";

/** Loaded only when a widget does not load. */
const loadPanels = () => import("./market-panels.tsx");
const inBox = { fallback: widgetSkeleton };
const TickerPanel = lazyComponent(loadPanels, "TickerPanel", { ...inBox, isSilent: true });
const OverviewPanel = lazyComponent(loadPanels, "OverviewPanel", inBox);
const CryptoPanel = lazyComponent(loadPanels, "CryptoPanel", inBox);

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
    symbols: OVERVIEW_TABS.flatMap(({ symbols }) =>
      symbols.map(({ s, d }) => ({ proName: s, title: d })),
    ),
  },
});

export const overviewWidgets = inBothThemes({
  name: "market-overview",
  title: "Market Overview",
  config: {
    width: "100%",
    height: 400,
    dateRange: "1D",
    showChart: true,
    showSymbolLogo: true,
    showFloatingTooltip: true,
    tabs: OVERVIEW_TABS,
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
