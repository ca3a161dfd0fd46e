import { systemHealthSchema } from "@shared/contract/admin.ts";
import { callApi, expectAnswer } from "@shared/testing/call-api.ts";
import { z } from "zod";
import type { FaultHarness } from "../harness/harness.ts";
import type { ServiceSlot } from "../harness/service-slot.ts";
import { isLockOf } from "../harness/signal-probes.ts";
import { until } from "../harness/until.ts";

/** A worker reports every 10 s. */
const FRESH_MS = 15_000;
const HEALTHY_WITHIN_MS = 30_000;

/** Servers are ready and receive events, workers report, and no process exited by itself. */
export async function processesAreHealthy(harness: FaultHarness): Promise<string[]> {
  const violations = harness.services.flatMap(({ name, pid }) =>
    isRunning(pid) ? [] : [`${name} has exited by itself`],
  );
  for (const server of Object.values(harness.servers)) {
    await until(() => isHealthy(harness, server), {
      what: "good health",
      withinMs: HEALTHY_WITHIN_MS,
    }).catch((error: unknown) => violations.push(`${server.name}: ${error}`));
  }
  return violations;
}

async function isHealthy(
  { administrator, workers }: FaultHarness,
  { url }: ServiceSlot,
): Promise<boolean> {
  for (const path of ["/healthz", "/readyz"]) {
    if ((await callApi(url + path)).status !== 200) return false;
  }
  const { token } = administrator;
  const health = await expectAnswer(systemHealthSchema, `${url}/admin/health`, { token });
  const seen = health.workers.filter(({ seen_at }) => Date.now() - Date.parse(seen_at) < FRESH_MS);
  const areSeen = Object.values(workers).every((worker) =>
    seen.some(({ id }) => isLockOf(id, worker)),
  );
  const { waiting, running } = health.queue;
  return areSeen && health.server.event_feed === "running" && waiting + running === 0;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const ERROR_LEVEL = 50;
const MAX_SHOWN_CHARACTERS = 300;

const lineSchema = z.looseObject({
  level: z.number(),
  requestId: z.string().optional(),
  msg: z.string().default(""),
});

/** Logs have no errors besides requests answered with 503, and only log entries: an unhandled rejection is none. */
export function logsHaveNoErrors({ services }: FaultHarness): string[] {
  return services.flatMap(({ name, lines }) => {
    const unavailable = lines.filter((line) => line.includes('"status":503'));
    const refused = new Set(unavailable.map((line) => parseLine(line)?.requestId));
    return lines.flatMap((line) => {
      const entry = parseLine(line);
      const isFine = entry && (entry.level < ERROR_LEVEL || refused.has(entry.requestId ?? line));
      // The message is at the end of a line, after the error with its stack.
      const shown = `${entry?.msg} ${line.slice(0, MAX_SHOWN_CHARACTERS)}`;
      return isFine ? [] : [`${name} logged: ${shown}`];
    });
  });
}

const parseLine = (line: string) =>
  line.startsWith("{") ? lineSchema.parse(JSON.parse(line)) : undefined;
