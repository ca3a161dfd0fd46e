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
    text: "Machine learning reads price action and indicators on closed candles, and explains what it sees in plain words.",
  },
  {
    Icon: Zap,
    title: "Real-Time Signals",
    text: "Choose a market and a timeframe. The signal appears as soon as it is ready, sized to your risk. Markets on your watchlist are analyzed at every close.",
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
      <Reasons />
      <MarketOverview />
      <CryptoMarkets />
      <RecentActivity />
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

function RecentActivity() {
  return (
    <section aria-labelledby="results" className="page pb-14 sm:pb-20">
      <h2 id="results" className="text-2xl font-semibold tracking-tight sm:text-3xl">
        Recent Results
      </h2>
      <p className="mt-3 max-w-2xl text-ink-muted text-pretty">
        The latest signals whose trade is over, wins and losses alike. Open trades stay with
        subscribers.
      </p>
      <div className="mt-6 h-[500px] rounded-card border border-line bg-surface">
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
          Real-time buy, sell or wait signals for crypto, metals, forex and indices. Each one comes
          with an entry, a stop, a target and the reasons behind them.
        </p>
        <Link to="/dashboard" className={`${buttonClass({ size: "lg" })} mt-2`}>
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

const candles: readonly Candle[] = [
  [50, 57, 43, 55],
  [55, 60, 47, 49],
  [49, 52, 34, 37],
  [37, 44, 27, 41],
  [41, 49, 33, 35],
  [35, 40, 20, 25],
  [25, 39, 21, 37],
  [37, 52, 34, 49],
  [49, 63, 45, 60],
  [60, 68, 52, 55],
  [55, 70, 50, 66],
];

type Candle = readonly [open: number, high: number, low: number, close: number];

const HEIGHT = 270;
const WIDTH = 460;
const LINE_END = 380;
const STEP = 27;
const LEFT = 18;
const yOf = (value: number) => HEIGHT - (value - 15) * 2.6;

const lines = [
  { label: "Target", value: 108, className: "stroke-buy fill-buy" },
  { label: "Entry", value: 66, className: "stroke-accent fill-accent" },
  { label: "Stop", value: 46, className: "stroke-sell fill-sell" },
] as const;

function HeroIllustration() {
  return (
    <figure
      aria-hidden
      className="rounded-card border border-line bg-surface p-5 shadow-float sm:p-6"
    >
      <figcaption className="mb-5 flex items-center justify-between gap-4">
        <span className="text-sm text-ink-faint">Example signal</span>
        <SignalBadge signal="BUY" />
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="w-full" aria-hidden="true">
        {lines.map(({ label, value, className }) => (
          <g key={label} className={className}>
            <line x1={0} x2={LINE_END} y1={yOf(value)} y2={yOf(value)} strokeDasharray="4 5" />
            <text
              x={LINE_END + 10}
              y={yOf(value) + 4.5}
              stroke="none"
              className="text-[14px] font-medium"
            >
              {label}
            </text>
          </g>
        ))}
        {candles.map((candle, index) => (
          <CandleShape key={candle.join()} candle={candle} x={LEFT + index * STEP} />
        ))}
      </svg>
    </figure>
  );
}

function CandleShape({ candle: [open, high, low, close], x }: { candle: Candle; x: number }) {
  const rising = close >= open;
  const top = yOf(Math.max(open, close));
  const height = yOf(Math.min(open, close)) - top;
  return (
    <g className={rising ? "fill-buy stroke-buy" : "fill-sell stroke-sell"} opacity="0.85">
      <line x1={x} x2={x} y1={yOf(high)} y2={yOf(low)} strokeWidth="1.5" />
      <rect x={x - 7} y={top} width="14" height={height} rx="2.5" stroke="none" />
    </g>
  );
}
