import { FileUp } from "lucide-react";
import { useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Notice } from "../../ui/notice.tsx";
import { recheckTexts as texts } from "./texts.ts";
import { type RecheckedOutcome, type RecheckState, useRecheck } from "./use-recheck.ts";

/** Resolves the recorded outcomes again, by candles that the reader brings. */
export function RecheckCard() {
  const { recheck, start } = useRecheck();
  const input = useRef<HTMLInputElement>(null);
  const isWorking = recheck.state === "working";
  return (
    <Card className="flex flex-col gap-5 p-5 sm:p-6">
      <div>
        <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
        <p className="mt-2 max-w-prose text-ink-muted text-pretty">{texts.lead}</p>
      </div>
      <div>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          multiple
          hidden
          aria-label={texts.files}
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])];
            currentTarget.value = "";
            if (files.length > 0) void start(files);
          }}
        />
        <Button variant="secondary" busy={isWorking} onClick={() => input.current?.click()}>
          {!isWorking && <FileUp aria-hidden className="size-4" />}
          {isWorking ? texts.working : texts.choose}
        </Button>
        <p className="mt-3 text-sm text-ink-faint text-pretty">{texts.format}</p>
      </div>
      <RecheckResult recheck={recheck} />
    </Card>
  );
}

function RecheckResult({ recheck }: { recheck: RecheckState }) {
  switch (recheck.state) {
    case "idle":
    case "working":
      return null;
    case "failed":
      return <Problem>{texts.interrupted}</Problem>;
    case "unreadable":
      return <Problem>{texts.unreadable(recheck.fileName)}</Problem>;
    case "done":
      return recheck.fault ? (
        <Problem>{texts.notIntact}</Problem>
      ) : (
        <RecheckedOutcomes outcomes={recheck.outcomes} />
      );
  }
}

function Problem({ children }: { children: string }) {
  return (
    <Notice tone="error" role="alert">
      {children}
    </Notice>
  );
}

function RecheckedOutcomes({ outcomes }: { outcomes: readonly RecheckedOutcome[] }) {
  const countOf = (result: RecheckedOutcome["recheck"]["result"]) =>
    outcomes.filter(({ recheck }) => recheck.result === result).length;
  const [agreeing, differing] = [countOf("agrees"), countOf("differs")];
  const unchecked = {
    withoutCandles: countOf("no-candles"),
    withoutParts: countOf("needs-finer-candles"),
  };
  if (agreeing + differing === 0) {
    return (
      <Notice tone="info" role="status">
        {texts.nothingChecked} {texts.unchecked(unchecked)}
      </Notice>
    );
  }
  return (
    <div className="flex animate-enter flex-col gap-4">
      <Notice
        tone={differing === 0 ? "success" : "error"}
        role={differing === 0 ? "status" : "alert"}
        title={texts.result(agreeing, differing)}
      >
        {texts.unchecked(unchecked)}
      </Notice>
      {differing > 0 && (
        <ul className="flex flex-col gap-2">
          {outcomes.map((outcome) => (
            <Difference key={outcome.seq} outcome={outcome} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Difference({ outcome }: { outcome: RecheckedOutcome }) {
  const { seq, figures, recheck } = outcome;
  if (recheck.result !== "differs") return null;
  return (
    <li className="rounded-control border border-line p-3 text-sm">
      <p className="figures font-medium">{texts.record(seq, figures)}</p>
      {recheck.fields.map((field) => (
        <p key={field.name} className="figures break-words text-ink-muted">
          {texts.field(field)}
        </p>
      ))}
    </li>
  );
}
