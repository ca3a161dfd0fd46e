import type { SignalKind } from "@shared/contract/signal.ts";
import type { ReactNode } from "react";
import { formatChange, formatPrice } from "../../../lib/format.ts";
import { Alert } from "../../../ui/alert.tsx";
import { distancePercent, type TradeLevels } from "../levels.ts";

interface SignalLook {
  name: "buy" | "sell" | "wait";
  edge: string;
}

export const signalLooks: Record<SignalKind, SignalLook> = {
  BUY: { name: "buy", edge: "border-t-buy" },
  SELL: { name: "sell", edge: "border-t-sell" },
  WAIT: { name: "wait", edge: "border-t-wait" },
};

export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert tone="warning" title="Warnings">
      <ul className="flex flex-col gap-1">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </Alert>
  );
}

interface PriceLevelsProps {
  levels: TradeLevels;
  entryNote?: string;
  stacked?: boolean;
}

export function PriceLevels({ levels, entryNote, stacked = false }: PriceLevelsProps) {
  const { entry, stopLoss, takeProfit } = levels;
  const changeOf = (price: number) => formatChange(distancePercent(entry, price));
  const rows = [
    { label: "Entry", price: entry, note: entryNote, tone: "text-accent" },
    { label: "Stop loss", price: stopLoss, note: changeOf(stopLoss), tone: "text-sell" },
    { label: "Take profit", price: takeProfit, note: changeOf(takeProfit), tone: "text-buy" },
  ];
  return (
    <dl className="grid gap-3 sm:grid-cols-3">
      {rows.map(({ label, price, note, tone }) => (
        <div
          key={label}
          className={`flex items-baseline justify-between gap-3 rounded-control border border-line bg-canvas px-4 ${stacked ? "py-3.5 sm:block" : "py-3"}`}
        >
          <dt className={`text-sm font-medium ${tone}`}>{label}</dt>
          <dd className={`figures text-right ${stacked ? "sm:mt-1.5 sm:text-left" : ""}`}>
            <span
              className={`block text-lg font-semibold tracking-tight ${stacked ? "lg:text-xl" : ""}`}
            >
              {formatPrice(price)}
            </span>
            {note && <span className="block text-sm text-ink-faint">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface SectionProps {
  title: string;
  heading: "h2" | "h3";
  className?: string;
}

function Section({
  title,
  heading: Heading,
  className = "",
  children,
}: SectionProps & { children: ReactNode }) {
  return (
    <section className={className}>
      <Heading className="text-sm font-medium text-ink-faint">{title}</Heading>
      {children}
    </section>
  );
}

/** A titled text; nothing if the analyst left it empty. */
export function TextSection({ text, ...section }: SectionProps & { text: string }) {
  if (text.trim() === "") return null;
  return (
    <Section {...section}>
      <p className="mt-1.5 max-w-prose leading-relaxed text-pretty whitespace-pre-line">{text}</p>
    </Section>
  );
}

/** A titled list; nothing if the analyst left it empty. */
export function ListSection({ items, ...section }: SectionProps & { items: string[] }) {
  if (items.length === 0) return null;
  return (
    <Section {...section}>
      <ul className="mt-1.5 flex list-disc flex-col gap-1.5 pl-5 leading-relaxed marker:text-ink-faint">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </Section>
  );
}
