import { Form } from "@base-ui/react/form";
import { SIGNAL_DEFAULTS, TIMEFRAMES } from "@shared/contract/constants.ts";
import { TIMEFRAME_MS, type Timeframe } from "@shared/contract/market-data.ts";
import { newWatchlistItemSchema, type Watchlist } from "@shared/contract/watchlist.ts";
import { BellRing, Star } from "lucide-react";
import { useRef, useState } from "react";
import { SymbolField, TimeframeField } from "../../domain/market-fields.tsx";
import { addItem, useWatchlist } from "../../domain/watchlist.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { formatPlural } from "../../lib/format.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { EmptyState, QueryView } from "../../ui/load-states.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { TermsFields, WatchedMarket } from "./watched-market.tsx";

/** From 64 rem on, list and form are side by side. */
const gridClass =
  "grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]";

export function WatchlistPage() {
  const query = useWatchlist();
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <PageHeading title="Watchlist">
        Each market is analyzed when its candle closes. You get a signal if it is a trade that
        reaches your minimum confidence.
      </PageHeading>
      <QueryView query={query} failed="We couldn't load your watchlist." skeleton={skeleton}>
        {(list) => <Markets list={list} />}
      </QueryView>
    </div>
  );
}

const skeleton = (
  <div className={gridClass}>
    <div className="flex flex-col gap-4">
      <Skeleton className="h-5 w-32" />
      <Skeleton className="h-48 rounded-card xl:h-36" count={3} />
    </div>
    <Skeleton className="h-128 rounded-card" />
  </div>
);

function Markets({ list: { items, limit, min_timeframe } }: { list: Watchlist }) {
  const form = useRef<HTMLDivElement>(null);
  const choose = () => {
    form.current?.scrollIntoView({ block: "nearest" });
    form.current?.querySelector("input")?.focus({ preventScroll: true });
  };
  return (
    <div className={gridClass}>
      <section aria-label="Watched markets" className="flex min-w-0 flex-col gap-4">
        <div className="flex min-h-9 items-center justify-between gap-4 lg:min-h-0">
          <p className="figures text-sm text-ink-muted">
            {items.length} of {formatPlural(limit, "market")}
          </p>
          {items.length > 0 && (
            <Button variant="secondary" size="sm" className="lg:hidden" onClick={choose}>
              Add a market
            </Button>
          )}
        </div>
        {items.length === 0 ? (
          <EmptyState
            Icon={BellRing}
            title="No markets watched yet."
            text="Choose a market, and we analyze it for you at every close, day and night. You are notified of each trade, sized to your amount and risk."
            className="min-h-80"
          >
            <Button className="mt-2" onClick={choose}>
              Choose a market
            </Button>
          </EmptyState>
        ) : (
          <ul className="flex flex-col gap-4">
            {items.map((item) => (
              <li key={item.id}>
                <WatchedMarket item={item} />
              </li>
            ))}
          </ul>
        )}
      </section>
      <div ref={form} className="scroll-mt-20 lg:sticky lg:top-24">
        <AddForm isFull={items.length >= limit} minTimeframe={min_timeframe} />
      </div>
    </div>
  );
}

const STANDARD_TERMS = {
  min_confidence: 0,
  amount: SIGNAL_DEFAULTS.amount,
  risk_percent: SIGNAL_DEFAULTS.riskPercent,
  leverage: SIGNAL_DEFAULTS.leverage,
};

interface AddFormProps {
  isFull: boolean;
  minTimeframe: Timeframe;
}

function AddForm({ isFull, minTimeframe }: AddFormProps) {
  const options = TIMEFRAMES.filter((name) => TIMEFRAME_MS[name] >= TIMEFRAME_MS[minTimeframe]);
  const [symbol, setSymbol] = useState("");
  const [chosen, setChosen] = useState<Timeframe>(SIGNAL_DEFAULTS.timeframe);
  const timeframe = options.includes(chosen) ? chosen : minTimeframe;
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    const item = await addItem(parseForm(newWatchlistItemSchema, form));
    setSymbol("");
    showToast({ title: `Watching ${item.symbol} ${item.timeframe}` });
  });
  return (
    <Card className="p-5 sm:p-6">
      <Form {...formProps} className="flex flex-col gap-5">
        <h2 className="text-lg font-semibold tracking-tight">Watch a market</h2>
        <SymbolField value={symbol} onChange={setSymbol} />
        <TimeframeField
          value={timeframe}
          options={options}
          error={formProps.errors.timeframe}
          onChange={setChosen}
        />
        <TermsFields terms={STANDARD_TERMS} />
        {isFull ? (
          <Alert tone="info">Your watchlist is full. Remove a market to add another one.</Alert>
        ) : (
          <ErrorAlert message={problem?.message} />
        )}
        <Button type="submit" size="lg" Icon={Star} busy={isPending} disabled={isFull}>
          Watch
        </Button>
      </Form>
    </Card>
  );
}
