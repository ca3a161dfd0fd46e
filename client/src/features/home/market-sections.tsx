import { lazy, type ReactNode, useSyncExternalStore } from "react";
import { neverChanges } from "../../lib/never-changes.ts";
import { useTheme } from "../../lib/theme.ts";
import { WidgetBox } from "../../ui/widget-box.tsx";
import { homeTexts as texts } from "./texts.ts";
import { overviewWidgets, screenerWidgets, tickerWidgets } from "./widgets.ts";

/** Our own panels are needed only where a widget does not load. */
const TickerPanel = lazy(async () => ({
  default: (await import("./ticker-panel.tsx")).TickerPanel,
}));
const OverviewPanel = lazy(async () => ({
  default: (await import("./overview-panel.tsx")).OverviewPanel,
}));
const CryptoPanel = lazy(async () => ({
  default: (await import("./crypto-panel.tsx")).CryptoPanel,
}));

const prefersStillness = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Prices in one line, at the top of the page. */
export function TickerTape() {
  // The widget's tape runs without end, which is not for everybody; ours stands still.
  const still = useSyncExternalStore(neverChanges, prefersStillness, () => false);
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
    <Section id="overview" title={texts.overviewTitle}>
      <WidgetBox widget={overviewWidgets[useTheme()]} className={`${boxClass} h-[400px]`}>
        <OverviewPanel />
      </WidgetBox>
    </Section>
  );
}

export function CryptoMarkets() {
  return (
    <Section id="crypto" title={texts.cryptoTitle}>
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
