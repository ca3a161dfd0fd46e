import type { SharedSignal } from "@shared/contract/signal-page.ts";
import type { ReactNode } from "react";
import { formatDateTime } from "../../lib/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { signalTexts as texts } from "./texts.ts";

/** Why a signal said what it said, and where that came from; empty parts are left out. */
export function SignalReasons({ analysis }: { analysis: SharedSignal["analysis"] }) {
  const { raw_ai, warnings, suggested_hold, valid_until, source } = analysis;
  return (
    <div className="flex flex-col gap-6">
      {warnings.length > 0 && (
        <Notice tone="warning" title={texts.warnings}>
          <ul className="flex flex-col gap-1">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
        <Part title={texts.rationale} text={raw_ai.rationale} />
        <Items title={texts.evidence} items={raw_ai.key_evidence} />
        <Items title={texts.watch} items={raw_ai.what_to_watch_for} />
        <div className="flex flex-col gap-6">
          <Part title={texts.hold} text={suggested_hold} />
          {valid_until && <Part title={texts.validUntil} text={formatDateTime(valid_until)} />}
          <Part title={texts.source} text={sourceText(source)} />
        </div>
      </div>
    </div>
  );
}

/** Names the model only where there is more than one. */
function sourceText({
  data,
  provider,
  analyst,
  model,
}: SharedSignal["analysis"]["source"]): string {
  const from = data === "live" ? `${texts.data.live} (${provider})` : texts.data[data];
  const by = analyst === "openai" ? `${texts.analyst.openai} (${model})` : texts.analyst[analyst];
  return `${from}, by ${by}`;
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="text-sm font-medium text-ink-faint">{title}</h2>
      {children}
    </section>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  if (text.trim() === "") return null;
  return (
    <Section title={title}>
      <p className="mt-1.5 max-w-prose leading-relaxed text-pretty whitespace-pre-line">{text}</p>
    </Section>
  );
}

function Items({ title, items }: { title: string; items: string[] }) {
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
