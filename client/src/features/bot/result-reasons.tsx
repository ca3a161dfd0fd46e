import type { Analysis } from "@shared/contract/signal.ts";
import type { ReactNode } from "react";
import { resultTexts as texts } from "./texts.ts";

/** Why the signal says what it says; parts that the analyst left empty are left out. */
export function ResultReasons({ analysis }: { analysis: Analysis }) {
  const { raw_ai, suggested_hold, trade_duration_text } = analysis;
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
      <Part title={texts.rationale} text={raw_ai.rationale} wide />
      <ListPart title={texts.evidence} items={raw_ai.key_evidence} />
      <ListPart title={texts.watch} items={raw_ai.what_to_watch_for} />
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-3 lg:col-span-2">
        <Part title={texts.condition} text={raw_ai.market_condition} />
        <Part title={texts.hold} text={suggested_hold} />
        <Part title={texts.duration} text={trade_duration_text} />
      </div>
    </div>
  );
}

function Section({
  title,
  wide,
  children,
}: {
  title: string;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={wide ? "lg:col-span-2" : ""}>
      <h3 className="text-sm font-medium text-ink-faint">{title}</h3>
      {children}
    </section>
  );
}

function Part({ title, text, wide = false }: { title: string; text: string; wide?: boolean }) {
  if (text.trim() === "") return null;
  return (
    <Section title={title} wide={wide}>
      <p className="mt-1.5 max-w-prose leading-relaxed text-pretty whitespace-pre-line">{text}</p>
    </Section>
  );
}

function ListPart({ title, items }: { title: string; items: string[] }) {
  if (items.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="mt-1.5 flex list-disc flex-col gap-1.5 pl-5 leading-relaxed marker:text-ink-faint">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </Section>
  );
}
