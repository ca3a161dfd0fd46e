import type { ModelReport, ModelTestResult } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { CircleCheck, CircleX, FlaskConical } from "lucide-react";
import { formatCount, formatDollars } from "../../lib/format.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { LocalTime } from "../../ui/local-time.tsx";
import { failureToast } from "../../ui/show-toast.ts";
import { Metric } from "./admin-section.tsx";
import { testModel } from "./api.ts";

export const needsAttention = ({ fault, notices }: ModelReport): boolean =>
  fault !== null || notices.length > 0;

/** Faults are stored as the log has them: `openai: no such model (404): check OPENAI_MODEL`. */
export function sentence(fault: string): string {
  const text = fault.replace(/^openai: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/(?<![.?!])$/, ".");
}

/** The AI model of the workers: what its server accepts, its faults, and a test. */
export function ModelCard({ report }: { report: ModelReport }) {
  const { address, model, fault, notices, test } = report;
  const isTesting = test !== null && test.result === null;
  const request = useMutation({
    mutationFn: testModel,
    onError: failureToast("Failed to test the model"),
  });
  return (
    <Card>
      <header className="flex flex-wrap items-start justify-between gap-3 px-4 py-3.5 sm:px-5">
        <div className="min-w-0">
          <h3 className="font-medium break-words">{model}</h3>
          <p className="mt-1 text-sm break-all text-ink-muted">{address}</p>
          <p className="mt-1 text-sm text-ink-muted">{describeAccepted(report)}</p>
        </div>
        <Button
          Icon={FlaskConical}
          variant="secondary"
          size="sm"
          busy={request.isPending || isTesting}
          onClick={() => request.mutate()}
        >
          Test the model
        </Button>
      </header>
      {needsAttention(report) && (
        <div className="flex flex-col gap-2 px-4 pb-4 sm:px-5">
          {fault && <Alert tone="error">{sentence(fault.detail)}</Alert>}
          {notices.map((notice) => (
            <Alert key={notice} tone="info">
              {notice}
            </Alert>
          ))}
        </div>
      )}
      {isTesting && (
        <p role="status" className="border-t border-line px-4 py-3 text-sm text-ink-muted sm:px-5">
          Testing with one analysis of recorded candles. This takes up to a minute.
        </p>
      )}
      {test?.result && <TestResult result={test.result} requestedAt={test.requested_at} />}
    </Card>
  );
}

function describeAccepted({ accepts }: ModelReport): string {
  if (!accepts) return "No answer from the server yet.";
  const { response_format, token_limit, left_out } = accepts;
  const limit = token_limit === "none" ? "no token limit" : token_limit;
  const without = left_out.map((name) => `without ${name}`);
  return `The server accepts ${[response_format, limit, ...without].join(", ")}.`;
}

function TestResult({ result, requestedAt }: { result: ModelTestResult; requestedAt: string }) {
  const { is_usable, detail, prompt_tokens, completion_tokens, cost_usd, latency_ms } = result;
  const Icon = is_usable ? CircleCheck : CircleX;
  const tokens =
    prompt_tokens === null || completion_tokens === null
      ? "–"
      : `${formatCount(prompt_tokens)} + ${formatCount(completion_tokens)}`;
  const metrics = [
    ["Tested", <LocalTime key="tested" iso={requestedAt} />],
    ["Latency", `${(latency_ms / 1_000).toFixed(1)} s`],
    ["Tokens, prompt + answer", tokens],
    ["Cost", cost_usd === null ? "Unknown" : formatDollars(cost_usd)],
  ] as const;
  return (
    <>
      <p
        role="status"
        className="flex items-start gap-2 border-t border-line px-4 py-3 text-sm text-pretty sm:px-5"
      >
        <Icon
          aria-hidden
          className={`mt-0.5 size-4 shrink-0 ${is_usable ? "text-buy" : "text-danger"}`}
        />
        <span className="min-w-0 break-words">
          <span className="font-medium">{is_usable ? "Usable." : "Not usable."}</span> {detail}
        </span>
      </p>
      <dl className="grid grid-cols-2 gap-px border-t border-line bg-line sm:grid-cols-4">
        {metrics.map(([label, value]) => (
          <Metric key={label} label={label} className="text-base sm:px-5">
            {value}
          </Metric>
        ))}
      </dl>
    </>
  );
}
