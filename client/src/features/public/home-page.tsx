import { ArrowRight, BrainCircuit, History, Zap } from "lucide-react";
import { Link } from "react-router-dom";
import { SignalBadge } from "../../domain/signal-badge.tsx";
import { buttonClass, TextLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { lazyComponent, WhenInView } from "../../ui/lazy-component.tsx";
import { usePageTitle } from "../../ui/page-heading.tsx";
import { CryptoMarkets, MarketOverview, TickerTape } from "./components/market-sections.tsx";

const reasons = [
  {
    Icon: BrainCircuit,
    title: "AI-Driven Analysis",
    text: "Machine learning reads closed candles and indicators, and says what it sees in plain words.",
  },
  {
    Icon: Zap,
    title: "Real-Time Signals",
    text: "A signal appears as soon as it is ready, sized to your risk. Watched markets are analyzed at every close.",
  },
  {
    Icon: History,
    title: "Comprehensive History",
    text: "Every signal is kept and later resolved as win, loss or expired. Nothing is left out.",
  },
] as const;

export function HomePage() {
  usePageTitle();
  return (
    <>
      <TickerTape />
      <Hero />
      <RecentActivity />
      <Reasons />
      <MarketOverview />
      <CryptoMarkets />
    </>
  );
}

const LiveRecord = lazyComponent(() => import("./components/live-record.tsx"), "LiveRecord", {
  isSilent: true,
});
const RecentResults = lazyComponent(
  () => import("./components/recent-results.tsx"),
  "RecentResults",
);

const LatestResult = lazyComponent(
  () => import("../signals/components/latest-result.tsx"),
  "LatestResult",
  {
    isSilent: true,
  },
);

function RecentActivity() {
  return (
    <section aria-labelledby="results" className="page pb-14 sm:pb-20">
      <h2 id="results" className="text-2xl font-semibold tracking-tight sm:text-3xl">
        Recent Results
      </h2>
      <p className="mt-3 max-w-2xl text-ink-muted text-pretty">
        Trades that are over, wins and losses alike. Open ones stay with subscribers.
      </p>
      <div className="mt-6 h-80 rounded-card border border-line bg-surface">
        <WhenInView>
          <RecentResults />
        </WhenInView>
      </div>
    </section>
  );
}

function Hero() {
  return (
    <section className="page grid items-center gap-12 py-14 sm:py-20 lg:grid-cols-[1.1fr_1fr] lg:gap-16 lg:py-28">
      <div className="flex flex-col items-start gap-6">
        <h1 className="text-4xl leading-[1.08] font-semibold tracking-tight sm:text-5xl lg:text-6xl">
          AI-Powered Trading Signals
        </h1>
        <p className="max-w-xl text-lg leading-relaxed text-ink-muted text-pretty">
          Real-time buy, sell or wait signals for crypto, metals, forex and indices. Each comes with
          entry, stop, target and reasons.
        </p>
        <Link to="/dashboard" state={isNew} className={`${buttonClass({ size: "lg" })} mt-2`}>
          Get Started
          <ArrowRight aria-hidden className="size-5" />
        </Link>
      </div>
      <HeroIllustration />
    </section>
  );
}

function Reasons() {
  return (
    <section aria-labelledby="why" className="page pt-4">
      <h2 id="why" className="text-2xl font-semibold tracking-tight sm:text-3xl">
        Why Choose Our Bot?
      </h2>
      <div className="mt-8 grid gap-4 md:grid-cols-3 md:gap-6">
        {reasons.map(({ Icon, title, text }) => (
          <Card key={title} className="flex flex-col gap-3 p-6">
            <Icon aria-hidden className="size-7 text-accent" strokeWidth={1.75} />
            <h3 className="mt-1 text-lg font-semibold tracking-tight">{title}</h3>
            <p className="leading-relaxed text-ink-muted text-pretty">{text}</p>
          </Card>
        ))}
      </div>
      <p className="mt-6">
        <TextLink to="/performance">See overall performance</TextLink>
      </p>
      <div className="min-h-29 pt-3 pb-8 sm:min-h-24">
        <WhenInView>
          <LiveRecord />
        </WhenInView>
      </div>
    </section>
  );
}

/** For the login page: its visitor probably has no account yet. */
const isNew = { isNew: true };

const lines = [
  { label: "Target", look: "text-buy" },
  { label: "Entry", look: "text-accent" },
  { label: "Stop", look: "text-sell" },
] as const;

function HeroIllustration() {
  return (
    <figure className="relative overflow-hidden rounded-card border border-line bg-surface shadow-float">
      <Illustration />
      <LatestResult className="absolute inset-0 bg-surface p-5 sm:p-6" />
    </figure>
  );
}

/** Until the record has a result. */
function Illustration() {
  return (
    <div aria-hidden className="min-h-96 p-5 sm:p-6">
      <div className="mb-5 flex items-center justify-between gap-4">
        <span className="text-sm text-ink-faint">Example signal</span>
        <SignalBadge signal="BUY" />
      </div>
      <div className="flex flex-col gap-16 text-sm font-medium">
        {lines.map(({ label, look }) => (
          <p key={label} className={`border-b border-dashed text-right ${look}`}>
            {label}
          </p>
        ))}
      </div>
    </div>
  );
}
