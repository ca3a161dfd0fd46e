import { verifyLedger } from "@shared/contract/verify-ledger.ts";
import { openLedger } from "../../verify-ledger/open-ledger.ts";
import type { Stage } from "../stage/stage.ts";
import { until } from "../until.ts";

/** The public ledger, downloaded as anybody may, is intact and holds every completed analysis. */
export async function ledgerVerifies({ database, servers }: Stage): Promise<string[]> {
  const { marketAnalyses } = database;
  const completed = await marketAnalyses.countDocuments({ status: "completed" });
  await until(
    async () =>
      (await marketAnalyses.countDocuments({ ledgerSeq: { $exists: true } })) >= completed,
    { what: "completed analyses to be in the ledger" },
  );
  const report = await verifyLedger(await openLedger(servers.a.url, AbortSignal.timeout(30_000)));
  if (report.fault) return [`the public ledger: ${JSON.stringify(report.fault)}`];
  const { live } = report.tally.analyses;
  return live === completed ? [] : [`the public ledger has ${live} of ${completed} analyses`];
}
