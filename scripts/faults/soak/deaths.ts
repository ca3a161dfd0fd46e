import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { expectAnswer } from "../stage/api.ts";
import type { PartSlot } from "../stage/part-slot.ts";
import type { Stage } from "../stage/stage.ts";
import { until } from "../until.ts";

const MINUTE_MS = 60_000;
/** How long the database hangs. */
const HANG_MS = 10_000;
const readySchema = z.object({ status: z.literal("ok") });

/** One death, and how long it took until the part was at work again. */
export interface Death {
  minute: number;
  part: string;
  backAfterMs: number;
}

/** Every minute the next part dies, and is started again at once; nothing dies in the last one. */
export async function killInTurn(
  stage: Stage,
  options: { minutes: number; signal: AbortSignal; say: (line: string) => void },
): Promise<Death[]> {
  const { minutes, signal, say } = options;
  const { servers, workers } = stage;
  const turns = [
    () => restart(servers.a),
    () => restart(workers.a),
    () => restart(servers.b),
    () => restart(workers.b),
    () => hangDatabase(stage),
  ];
  const names = ["server-a", "worker-a", "server-b", "worker-b", "mongod (hangs)"];
  const deaths: Death[] = [];
  const startedAt = performance.now();
  for (let minute = 1; minute < minutes; minute += 1) {
    await delay(Math.max(0, minute * MINUTE_MS - (performance.now() - startedAt)), undefined, {
      signal,
    });
    const turn = (minute - 1) % turns.length;
    const diedAt = performance.now();
    await turns[turn]?.();
    const death = {
      minute,
      part: names[turn] ?? "",
      backAfterMs: Math.round(performance.now() - diedAt),
    };
    say(`minute ${minute}: ${death.part} died and was back after ${death.backAfterMs} ms`);
    deaths.push(death);
  }
  await delay(Math.max(0, minutes * MINUTE_MS - (performance.now() - startedAt)), undefined, {
    signal,
  });
  return deaths;
}

async function restart(part: PartSlot): Promise<void> {
  await part.kill();
  await part.start();
}

async function hangDatabase({ mongo, servers }: Stage): Promise<void> {
  const [mongod] = mongo.members;
  mongod?.pause();
  await delay(HANG_MS);
  mongod?.resume();
  for (const via of Object.values(servers)) {
    await until(() => expectAnswer({ via, path: "/readyz" }, readySchema), { what: via.name });
  }
}
