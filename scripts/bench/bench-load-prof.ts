import { randomUUID } from "node:crypto";
import { loadavg } from "node:os";
import type { Database } from "@shared/node/database.ts";
import { freePort } from "@shared/testing/free-port.ts";
import { spawnPart } from "@shared/testing/spawn-part.ts";
import { startStandInOpenAi } from "@shared/testing/stand-in-openai.ts";
import { type Crowd, measureCrowd } from "./measure-crowd.ts";

const SIGNALS = 200;
const AI_TIME_MS = 5_000;
const WARM_UP = 5;
/** How many traders the signals come from; those of one trader are numbered one after the other. */
const TRADERS = [200] as const;

/**
 * Measures 200 analyses in flight in one worker while the AI takes 5 s for each: how much longer than one answer of
 * the AI it takes from the first request to the last result, and how much memory the worker takes for it.
 */
export async function benchLoad(options: { database: Database; uri: string }): Promise<void> {
  const ai = await startStandInOpenAi();
  ai.behave({ kind: "advice", delayMs: AI_TIME_MS });
  const secrets = { JWT_SECRET: randomUUID().repeat(2), ADMIN_PASSWORD: randomUUID() };
  const port = await freePort();
  const env = {
    ...(process.env.PROF && { NODE_OPTIONS: "--import /tmp/prof.mjs" }),
    ...secrets,
    MONGODB_URI: options.uri,
    API_PORT: String(port),
    RATE_LIMIT: "off",
    MARKET_DATA: "replay",
    OPENAI_API_KEY: "no key",
    OPENAI_BASE_URL: ai.baseUrl,
    WORKER_CONCURRENCY: String(SIGNALS),
  };
  const server = await spawnPart("server", env);
  const worker = await spawnPart("worker", env, "scripts/bench/measured-worker.ts");
  const shared = { ...options, worker, jwtSecret: secrets.JWT_SECRET };
  const measure = (size: Pick<Crowd, "signals" | "traders">) =>
    measureCrowd({ ...shared, ...size, apiUrl: `http://localhost:${port}` });
  setTimeout(() => { console.log(worker.lines.filter((l) => !l.includes("rssBytes")).slice(0, 30).join("\n")); }, 12000).unref();
  try {
    await measure({ signals: WARM_UP, traders: WARM_UP });
    const rows: Record<string, number>[] = [];
    const db = options.database.connection.db;
    if (process.env.PROFILE_DB) { await db?.createCollection("system.profile", { capped: true, size: 300_000_000 }); await db?.command({ profile: 2 }); }
    for (const traders of TRADERS) {
      const crowd = await measure({ signals: SIGNALS, traders });
      rows.push({
        traders,
        refused: crowd.refused,
        "last started / AI time": round(crowd.lastStartedMs / AI_TIME_MS),
        "last finished / AI time": round(crowd.lastFinishedMs / AI_TIME_MS),
        "memory growth, MB": round(crowd.memoryGrowthMb),
        "load average": round(loadavg()[0] ?? Number.NaN),
      });
    }
    if (process.env.PROFILE_DB) {
      await db?.command({ profile: 0 });
      const got = await db?.collection("system.profile").aggregate([{ $group: { _id: { op: "$op", ns: "$ns", k: { $first: { $map: { input: { $objectToArray: "$command" }, in: "$$this.k" } } }, tx: { $cond: ["$txnNumber", 1, { $cond: ["$command.txnNumber", 1, 0] }] } , app: "$appName", plan: "$planSummary"}, n: { $sum: 1 }, ms: { $sum: "$millis" }, cpu: { $sum: "$cpuNanos" }, docs: {$sum: "$docsExamined"}, keys: {$sum: "$keysExamined"}, conf: {$sum: "$writeConflicts"} } }, { $sort: { n: -1 } }]).toArray();
      for (const g of got ?? []) console.log(g.n, g.ms + "ms", Math.round((g.cpu ?? 0) / 1e6) + "cpu", g.docs, g.keys, g.conf, JSON.stringify(g._id));
    }
    console.log(
      `${SIGNALS} signals at once in one worker, the AI takes ${AI_TIME_MS} ms for each:`,
    );
    console.table(rows);

  } finally {
    await Promise.all([server.stop(), worker.stop()]);
    await ai.close();
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;
