import type { Judgement } from "@shared/contract/judgement.ts";
import type { ReactNode } from "react";
import { formatDateTime, formatPrice } from "../../lib/format.ts";
import { rewardToRisk, type TradeLevels } from "../../lib/trade-levels.ts";
import { OutcomeBadge } from "../../ui/outcome-badge.tsx";
import { Excursion } from "./excursion.tsx";
import { formatR, judgementWords } from "./judgement-words.ts";
import { judgementTexts as texts } from "./texts.ts";

interface JudgementPanelProps {
  /** Null while the market has not judged. */
  judgement: Judgement | null;
  /** Null for a WAIT. */
  levels: TradeLevels | null;
}

/** How the market judged a signal: in a word, in figures, and in a sentence. */
export function JudgementPanel({ judgement, levels }: JudgementPanelProps) {
  return (
    <section aria-label={texts.title} className="flex flex-col gap-5">
      <header className="flex items-center justify-between gap-4">
        <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
        {levels && <OutcomeBadge outcome={judgement?.outcome} />}
      </header>
      <div role="status" className="contents">
        <p className="max-w-prose leading-relaxed text-ink-muted text-pretty">
          {sentence({ judgement, levels })}
        </p>
      </div>
      {judgement && levels && <Figures judgement={judgement} levels={levels} />}
    </section>
  );
}

function sentence({ judgement, levels }: JudgementPanelProps): string {
  if (!levels) return texts.wait;
  return judgement ? judgementWords(judgement, levels) : texts.pendingLead;
}

function Figures({ judgement, levels }: { judgement: Judgement; levels: TradeLevels }) {
  const { r_multiple, fill, filled_at, exit, exited_at, resolved_at } = judgement;
  const { max_favourable_r: best, max_adverse_r: worst } = judgement;
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure label={texts.result} tone={toneOf(r_multiple)}>
          {r_multiple === null ? texts.notFilled : formatR(r_multiple)}
        </Figure>
        {fill !== null && filled_at !== null && (
          <Figure label={texts.fill} time={filled_at}>
            {formatPrice(fill)}
          </Figure>
        )}
        {exit !== null && exited_at !== null && (
          <Figure label={texts.exit} time={exited_at}>
            {formatPrice(exit)}
          </Figure>
        )}
        <Figure label={texts.judged}>
          <time dateTime={resolved_at} className="text-base font-medium">
            {formatDateTime(resolved_at)}
          </time>
        </Figure>
      </dl>
      {best !== null && worst !== null && (
        <Excursion best={best} worst={worst} target={rewardToRisk(levels) ?? 1} />
      )}
      <p className="max-w-prose text-sm text-ink-faint text-pretty">{texts.net}</p>
    </>
  );
}

function toneOf(r: number | null): string {
  if (r === null || r === 0) return "text-ink";
  return r > 0 ? "text-buy" : "text-sell";
}

interface FigureProps {
  label: string;
  time?: string;
  tone?: string;
  children: ReactNode;
}

function Figure({ label, time, tone = "text-ink", children }: FigureProps) {
  return (
    <div className="rounded-control border border-line bg-canvas px-4 py-3.5">
      <dt className="text-sm text-ink-faint">{label}</dt>
      <dd className="mt-1.5">
        <span className={`figures block text-lg font-semibold tracking-tight ${tone}`}>
          {children}
        </span>
        {time && (
          <time dateTime={time} className="figures block text-sm text-ink-faint">
            {formatDateTime(time)}
          </time>
        )}
      </dd>
    </div>
  );
}
