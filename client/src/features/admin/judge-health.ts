import type { ProviderReport, SystemHealth } from "@shared/contract/health.ts";

/** Longer than that, a signal waits only where the workers do not keep up; in seconds. */
const BACKLOG_SECONDS = 20;

/** `down`: no signal is made; `degraded`: signals are made, but something needs to be looked at. */
export type Verdict = "ok" | "degraded" | "down";

/** Something that is wrong, the worst first. */
export type Problem =
  | { kind: "no-worker" }
  | { kind: "feed" }
  | { kind: "backlog"; seconds: number }
  | { kind: "providers"; names: string[] };

/** What there is to say of a system at a glance. */
export function judgeHealth(health: SystemHealth): { verdict: Verdict; problems: Problem[] } {
  const problems = findProblems(health);
  const [worst] = problems;
  if (!worst) return { verdict: "ok", problems };
  return { verdict: worst.kind === "no-worker" ? "down" : "degraded", problems };
}

function findProblems({ workers, server, queue }: SystemHealth): Problem[] {
  const seconds = queue.oldest_waiting_seconds;
  const names = namesInTrouble(workers.flatMap((worker) => worker.providers));
  return [
    ...(workers.length === 0 ? [{ kind: "no-worker" } as const] : []),
    ...(server.event_feed === "interrupted" ? [{ kind: "feed" } as const] : []),
    ...(seconds > BACKLOG_SECONDS ? [{ kind: "backlog", seconds } as const] : []),
    ...(names.length > 0 ? [{ kind: "providers", names } as const] : []),
  ];
}

/** Providers that fail for at least one worker, each once. */
const namesInTrouble = (providers: ProviderReport[]): string[] => [
  ...new Set(providers.filter(({ state }) => state !== "ok").map(({ provider }) => provider)),
];
