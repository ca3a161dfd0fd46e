import { freePort, spawnService } from "@shared/testing/spawn-service.ts";
import { percentile, printTable } from "./lib/report.ts";
import { type BenchOptions, newSecrets } from "./lib/start-product.ts";

const STARTS = 5;

export async function benchStartup({ uri }: BenchOptions): Promise<void> {
  const rows = [];
  for (const service of ["server", "worker"] as const) {
    const times: number[] = [];
    for (let start = 0; start < STARTS; start++) times.push(await measureStart(service, uri));
    rows.push({
      service,
      "p50, ms": percentile(times, 0.5),
      "slowest, ms": Math.max(...times),
    });
  }
  printTable(`Start-up, ${STARTS} starts each`, rows);
}

async function measureStart(service: "server" | "worker", uri: string): Promise<number> {
  const port = await freePort();
  const env = { MONGODB_URI: uri, API_PORT: String(port), MARKET_DATA: "replay" };
  const startedAt = performance.now();
  const started = await spawnService(service, { ...newSecrets(), ...env });
  const durationMs = performance.now() - startedAt;
  await started.stop();
  return durationMs;
}
