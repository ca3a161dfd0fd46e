import { formatPrice } from "@shared/contract/price.ts";
import type { HistoryItem } from "@shared/contract/signal.ts";
import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router-dom";
import { OutcomeBadge } from "../../domain/badges.tsx";
import { SignalBadge } from "../../domain/signal-badge.tsx";
import { formatDateTime } from "../../lib/format.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { usePageTitle } from "../../ui/page-heading.tsx";
import { type KeptSignals, readKeptSignals } from "./kept-signals.ts";

/** Shown by the service worker in place of a page that could not be loaded. */
export function OfflinePage() {
  usePageTitle("Offline");
  const [kept, setKept] = useState<KeptSignals | null>(null);
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  const from = parameters.get("from") ?? "";
  useEffect(() => {
    // A browser without storage has no signals to show.
    readKeptSignals().then(setKept, () => setKept(null));
  }, []);
  useEffect(() => {
    const open = () => void navigate(pathOf(from), { replace: true });
    window.addEventListener("online", open);
    return () => window.removeEventListener("online", open);
  }, [from, navigate]);
  return (
    <div className="page flex flex-col gap-6 py-10">
      <header className="flex flex-wrap items-center gap-4">
        <WifiOff aria-hidden className="size-8 shrink-0 text-ink-faint" />
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-2xl font-semibold tracking-tight">You're offline</h1>
          <p className="text-ink-muted text-pretty">
            We couldn't reach the app. The page opens when you're back online.
          </p>
        </div>
        <Button onClick={() => window.location.assign(pathOf(from))}>Try again</Button>
      </header>
      {kept && kept.signals.length > 0 && <LastSignals kept={kept} />}
    </div>
  );
}

/** Only a path of this site. */
function pathOf(from: string): string {
  const url = URL.parse(from, window.location.origin);
  return url?.origin === window.location.origin ? url.pathname + url.search : "/dashboard";
}

function LastSignals({ kept: { at, signals } }: { kept: KeptSignals }) {
  return (
    <section aria-labelledby="last-signals" className="flex flex-col gap-4">
      <div>
        <h2 id="last-signals" className="text-lg font-semibold tracking-tight">
          Your last signals
        </h2>
        <p className="text-sm text-ink-faint">
          As of {formatDateTime(at)}. Prices and outcomes may have changed since.
        </p>
      </div>
      <ul className="grid gap-3 md:grid-cols-2">
        {signals.map((item) => (
          <li key={item.id}>
            <KeptSignal item={item} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function KeptSignal({ item }: { item: HistoryItem }) {
  const levels = [
    ["Entry", item.entry],
    ["Stop loss", item.stop_loss],
    ["Take profit", item.take_profit],
  ] as const;
  return (
    <Card className="flex h-full flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <SignalBadge signal={item.signal} />
        <h3 className="font-semibold">
          {item.symbol} <span className="font-normal text-ink-muted">{item.timeframe}</span>
        </h3>
        <div className="ml-auto">
          <OutcomeBadge outcome={item.outcome} />
        </div>
      </div>
      <p className="figures text-sm text-ink-faint">
        <LocalTime iso={item.timestamp} />
      </p>
      {item.entry !== null && (
        <dl className="figures grid grid-cols-3 gap-3 text-sm">
          {levels.map(([name, price]) => (
            <div key={name}>
              <dt className="text-ink-faint">{name}</dt>
              <dd>{price === null ? "–" : formatPrice(price)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}
