import { ArrowRight, BrainCircuit, History, type LucideIcon, Zap } from "lucide-react";
import { Link } from "react-router-dom";
import { buttonClass } from "../../ui/button-class.ts";
import { Card } from "../../ui/card.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { usePageTitle } from "../../ui/use-page-title.ts";
import { HeroIllustration } from "./hero-illustration.tsx";
import { LiveRecord } from "./live-record.tsx";
import { CryptoMarkets, MarketOverview, TickerTape } from "./market-sections.tsx";
import { homeReasons, homeTexts } from "./texts.ts";

export function HomePage() {
  usePageTitle();
  return (
    <>
      <TickerTape />
      <Hero />
      <Reasons />
      <MarketOverview />
      <CryptoMarkets />
    </>
  );
}

function Hero() {
  return (
    <section className="page grid items-center gap-12 py-14 sm:py-20 lg:grid-cols-[1.1fr_1fr] lg:gap-16 lg:py-28">
      <div className="flex flex-col items-start gap-6">
        <h1 className="text-4xl leading-[1.08] font-semibold tracking-tight sm:text-5xl lg:text-6xl">
          {homeTexts.title}
        </h1>
        <p className="max-w-xl text-lg leading-relaxed text-ink-muted text-pretty">
          {homeTexts.subtitle}
        </p>
        <Link to="/dashboard" className={`${buttonClass({ size: "lg" })} mt-2`}>
          {homeTexts.getStarted}
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
        {homeTexts.whyTitle}
      </h2>
      <div className="mt-8 grid gap-4 md:grid-cols-3 md:gap-6">
        <Reason Icon={BrainCircuit} {...homeReasons.analysis} />
        <Reason Icon={Zap} {...homeReasons.realTime} />
        <Reason Icon={History} {...homeReasons.history} />
      </div>
      <p className="mt-6">
        <TextLink to="/performance">{homeTexts.toPerformance}</TextLink>
      </p>
      <LiveRecord />
    </section>
  );
}

function Reason({ Icon, title, text }: { Icon: LucideIcon; title: string; text: string }) {
  return (
    <Card className="flex flex-col gap-3 p-6">
      <Icon aria-hidden className="size-7 text-accent" strokeWidth={1.75} />
      <h3 className="mt-1 text-lg font-semibold tracking-tight">{title}</h3>
      <p className="leading-relaxed text-ink-muted text-pretty">{text}</p>
    </Card>
  );
}
