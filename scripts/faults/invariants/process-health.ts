import { systemHealthSchema } from "@shared/contract/admin.ts";
import { z } from "zod";
import { callApi, expectAnswer } from "../harness/api.ts";
import type { FaultHarness } from "../harness/harness.ts";
import type { ServiceSlot } from "../harness/service-slot.ts";
import { until } from "../harness/until.ts";

/** A worker reports every 10 s. */
const FRESH_MS = 15_000;
const WELL_WITHIN_MS = 30_000;
const lineSchema = z.looseObject({
  level: z.number(),
  requestId: z.string().optional(),
  status: z.unknown().optional(),
  msg: z.string().optional(),
});
const LONGEST_SHOWN = 300;
/** Pino's number for `error`. */
const ERROR_LEVEL = 50;

/** Servers are up, ready and hear events; workers report; nobody died by himself, and nobody who was killed lives on. */
export async function processesAreHealthy(stage: FaultHarness): Promise<string[]> {
  const faults = stage.parts.flatMap(({ name, pid, formerPids }) => [
    ...(isAlive(pid) ? [] : [`${name} has ended by itself`]),
    ...formerPids.filter(isAlive).map((former) => `${name} of before lives on as ${former}`),
  ]);
  for (const server of Object.values(stage.servers)) {
    await isWell(stage, server).catch((error: unknown) => faults.push(`${server.name}: ${error}`));
  }
  return faults;
}

async function isWell(stage: FaultHarness, server: ServiceSlot): Promise<void> {
  await until(
    async () => {
      for (const path of ["/healthz", "/readyz"]) {
        if ((await callApi({ via: server, path })).status !== 200) return false;
      }
      const call = { via: server, path: "/admin/health", token: stage.administrator.token };
      const { queue, workers, server: self } = await expectAnswer(call, systemHealthSchema);
      const seen = workers.filter(({ seen_at }) => Date.now() - Date.parse(seen_at) < FRESH_MS);
      const isSeen = ({ pid }: ServiceSlot) =>
        seen.some(({ id }) => id.split(":")[1] === String(pid));
      const allSeen = Object.values(stage.workers).every(isSeen);
      return allSeen && self.event_feed === "running" && queue.waiting + queue.running === 0;
    },
    { what: "good health", withinMs: WELL_WITHIN_MS },
  );
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Nothing in the logs is worse than a warning but the 503s that the API promises for such times, and nothing is no log
 * line, as an unhandled rejection would be.
 */
export function logsHaveNoErrors({ parts }: FaultHarness): string[] {
  return parts.flatMap(({ name, lines }) => {
    const refused = requestsAnswered503(lines);
    return lines
      .filter((line) => isAlarming(line, refused))
      .map((line) => `${name} logged: ${messageOf(line)} ${line.slice(0, LONGEST_SHOWN)}`);
  });
}

/** It stands at the end of a line, after the error with its stack. */
const messageOf = (line: string): string =>
  line.startsWith("{") ? (lineSchema.parse(JSON.parse(line)).msg ?? "") : "";

function requestsAnswered503(lines: readonly string[]): Set<string | undefined> {
  const answers = lines
    .filter((line) => line.includes('"status":503'))
    .map((line) => lineSchema.parse(JSON.parse(line)));
  return new Set(answers.map(({ requestId }) => requestId));
}

function isAlarming(line: string, refused: ReadonlySet<string | undefined>): boolean {
  if (!line.startsWith("{")) return true;
  const { level, requestId } = lineSchema.parse(JSON.parse(line));
  return level >= ERROR_LEVEL && !(requestId && refused.has(requestId));
}
