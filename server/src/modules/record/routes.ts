import { Readable } from "node:stream";
import type { Performance, PerformanceQuery } from "@shared/contract/performance.ts";
import { ledgerRoutes } from "@shared/contract/routes/ledger-routes.ts";
import { readLedgerHead } from "@shared/domain/ledger.ts";
import { LRUCache } from "lru-cache";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { downloadLedger, listLedgerHeads, readHeadProof, readLedgerPage } from "./ledger.ts";
import { readPerformance } from "./performance.ts";

/** Records are appended about once a second at most. */
const HEAD_CACHE_SECONDS = 5;

/** The public ledger of all market analyses and their outcomes. */
export const ledgerHandlers: BoundRoute[] = [
  handle(ledgerRoutes.listRecords, ({ query }, { deps }) => readLedgerPage(deps, query)),
  handle(ledgerRoutes.getHead, async (_, { ctx, deps }) => {
    const head = await readLedgerHead(deps.database);
    ctx.set("Cache-Control", `public, max-age=${HEAD_CACHE_SECONDS}`);
    return head;
  }),
  handle(ledgerRoutes.listHeads, ({ query }, { deps }) => listLedgerHeads(deps, query)),
  handle(ledgerRoutes.getHeadProof, async ({ params }, { ctx, deps }) => {
    const proof = await readHeadProof(deps, params.day);
    ctx.attachment(`ledger-head-${params.day}.ots`);
    // The extension alone would mean a spreadsheet.
    ctx.type = "application/octet-stream";
    return proof;
  }),
  handle(ledgerRoutes.download, (_, { ctx, deps }) => {
    ctx.attachment("ledger.ndjson");
    ctx.type = "application/x-ndjson";
    return Readable.from(downloadLedger(deps));
  }),
];

/** Workers measure performance about once a minute. */
const PERFORMANCE_CACHE_SECONDS = 30;

/** A response has at most some tens of kilobytes. */
const MAX_CACHED_RESPONSES = 200;

/** Performance of all signals, read at most once per 30 s for each choice of filters. */
export function createPerformanceHandlers(
  deps: Pick<ServerDeps, "database" | "now">,
): BoundRoute[] {
  const responses = new LRUCache<string, Performance, PerformanceQuery>({
    max: MAX_CACHED_RESPONSES,
    ttl: PERFORMANCE_CACHE_SECONDS * 1_000,
    fetchMethod: (_key, _stale, { context }) => readPerformance(deps, context),
  });
  return [
    handle(ledgerRoutes.getPerformance, ({ query }, { ctx }) => {
      ctx.set("Cache-Control", `public, max-age=${PERFORMANCE_CACHE_SECONDS}`);
      return responses.forceFetch(JSON.stringify(query), { context: query });
    }),
  ];
}
