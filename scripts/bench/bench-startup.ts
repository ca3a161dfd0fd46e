import { freePort, spawnService } from "@shared/testing/spawn-service.ts";
import { percentile, printTable } from "./lib/report.ts";
import { newSecrets } from "./lib/start-product.ts";

const STARTS = 5;

/** Measures from the start of a process to its word that it is ready, on a database that is in use already. */
export async function benchStartup(options: { uri: string }): Promise<void> {
  const rows = [];
  for (const part of ["server", "worker"] as const) {
    const times: number[] = [];
    for (let start = 0; start < STARTS; start++) times.push(await measureStart(part, options.uri));
    rows.push({
      part,
      "p50, ms": percentile(times, 0.5),
      "slowest, ms": Math.max(...times),
    });
  }
  printTable(`Start-up, ${STARTS} starts each`, rows);
}

async function measureStart(part: "server" | "worker", uri: string): Promise<number> {
  const port = await freePort();
  const env = { MONGODB_URI: uri, API_PORT: String(port), MARKET_DATA: "replay" };
  const startedAt = performance.now();
  const started = await spawnService(part, { ...newSecrets(), ...env });
  const tookMs = performance.now() - startedAt;
  await started.stop();
  return tookMs;
}
