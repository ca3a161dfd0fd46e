import type { LedgerEntry, LedgerFigures } from "@shared/contract/ledger.ts";
import { ChevronRight, Lock } from "lucide-react";
import { formatDateTime, formatPrice } from "../../lib/format.ts";
import { OutcomeBadge } from "../../ui/outcome-badge.tsx";
import { SignalBadge } from "../../ui/signal-badge.tsx";
import { recordTexts as texts } from "./texts.ts";

/** One record: what it says in a line, and all of it on demand. */
export function RecordItem({ entry }: { entry: LedgerEntry }) {
  const { record } = entry;
  return (
    <details className="group">
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-4 gap-y-2 px-4 py-4 transition-colors hover:bg-raised sm:px-6 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        <span className="figures w-16 shrink-0 text-sm text-ink-faint">#{record.seq}</span>
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
          <Statement entry={entry} />
        </span>
        <time
          dateTime={record.at}
          className="figures w-full pl-8 text-sm text-ink-faint sm:w-auto sm:pl-0"
        >
          {formatDateTime(record.at)}
        </time>
      </summary>
      <pre className="mx-4 mb-4 rounded-control bg-canvas p-4 font-mono text-xs leading-relaxed break-all whitespace-pre-wrap text-ink-muted sm:mx-6">
        {JSON.stringify(entry, null, 2)}
      </pre>
    </details>
  );
}

function Statement({ entry: { record, reveal } }: { entry: LedgerEntry }) {
  if (record.kind === "outcome") {
    const { outcome, analysis_seq: seq, r_multiple: multiple } = record.body;
    return (
      <>
        <OutcomeBadge outcome={outcome} />
        {multiple !== null && <span className="figures text-sm">{texts.r(multiple)}</span>}
        <span className="figures text-sm text-ink-faint">{texts.outcomeOf(seq)}</span>
      </>
    );
  }
  return (
    <>
      {reveal ? <Figures figures={reveal.figures} /> : <Sealed />}
      {record.body.data === "replay" && (
        <span className="rounded-md border border-wait/35 px-1.5 py-0.5 text-xs text-wait">
          {texts.demo}
        </span>
      )}
    </>
  );
}

function Sealed() {
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-ink-muted">
      <Lock aria-hidden className="size-4 text-accent" />
      <span className="font-medium text-ink">{texts.signal}</span> {texts.sealed}
    </span>
  );
}

function Figures({ figures }: { figures: LedgerFigures }) {
  const { final_signal: signal, symbol, timeframe, entry, stop_loss, take_profit } = figures;
  const levels = [
    { name: texts.entry, price: entry },
    { name: texts.stop, price: stop_loss },
    { name: texts.target, price: take_profit },
  ];
  return (
    <>
      <SignalBadge signal={signal} />
      <span className="text-sm font-medium">
        {symbol} <span className="font-normal text-ink-muted">{timeframe}</span>
      </span>
      {levels.map(
        ({ name, price }) =>
          price !== null && (
            <span key={name} className="figures text-sm text-ink-muted">
              <span className="text-ink-faint">{name}</span> {formatPrice(price)}
            </span>
          ),
      )}
    </>
  );
}
