import { Readable } from "node:stream";
import type {
  Activity,
  AnalystRecordQuery,
  Performance,
  PerformanceQuery,
  RecordParts,
} from "@shared/contract/performance.ts";
import { ledgerRoutes } from "@shared/contract/routes/ledger-routes.ts";
import { productName, readBranding } from "@shared/domain/branding.ts";
import { readLedgerHead } from "@shared/domain/ledger.ts";
import { LRUCache } from "lru-cache";
import { unlessKnown } from "../../http/caching.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { readActivity, writeActivityFeed } from "./activity.ts";
import { downloadLedger, listLedgerHeads, readHeadProof, readLedgerPage } from "./ledger.ts";
import { exportTrades, readPerformance, readRecordParts } from "./performance.ts";

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

/** As many visitors as there are share one read. */
const ACTIVITY_CACHE_SECONDS = 5;
const FEED_CACHE_SECONDS = 60;

/** Workers measure performance about once a minute. An empty record fills faster: the demo record is made in seconds. */
const PERFORMANCE_CACHE_SECONDS = 30;
const EMPTY_CACHE_SECONDS = 3;

const cacheSecondsOf = ({ recorded }: Performance): number =>
  recorded.symbols.length === 0 ? EMPTY_CACHE_SECONDS : PERFORMANCE_CACHE_SECONDS;

/** A response has at most some tens of kilobytes. */
const MAX_CACHED_RESPONSES = 200;

/** Performance and latest results of all signals. Performance is read at most once per 30 s for each choice of filters, or 3 s while there are none. */
export function createPerformanceHandlers(deps: ServerDeps): BoundRoute[] {
  const responses = new LRUCache<string, Performance, PerformanceQuery>({
    max: MAX_CACHED_RESPONSES,
    async fetchMethod(_key, _stale, { context, options }) {
      const performance = await readPerformance(deps, context);
      options.ttl = cacheSecondsOf(performance) * 1_000;
      return performance;
    },
  });
  const parts = new LRUCache<string, RecordParts, AnalystRecordQuery>({
    max: MAX_CACHED_RESPONSES,
    ttl: PERFORMANCE_CACHE_SECONDS * 1_000,
    fetchMethod: (_key, _stale, { context }) => readRecordParts(deps, context),
  });
  const activity = new LRUCache<"activity", Activity>({
    max: 1,
    ttl: ACTIVITY_CACHE_SECONDS * 1_000,
    fetchMethod: () => readActivity(deps.database),
  });
  return [
    handle(ledgerRoutes.getActivity, async (_, { ctx }) => {
      const read = await activity.forceFetch("activity");
      ctx.set("Cache-Control", `public, max-age=${ACTIVITY_CACHE_SECONDS}`);
      return unlessKnown(ctx, read);
    }),
    handle(ledgerRoutes.getFeed, async (_, { ctx }) => {
      const read = await activity.forceFetch("activity");
      ctx.set("Cache-Control", `public, max-age=${FEED_CACHE_SECONDS}`);
      ctx.type = "application/atom+xml";
      const product = productName(await readBranding(deps.database));
      return unlessKnown(ctx, writeActivityFeed(deps, read, product));
    }),
    handle(ledgerRoutes.getPerformance, async ({ query }, { ctx }) => {
      const performance = await responses.forceFetch(JSON.stringify(query), { context: query });
      ctx.set("Cache-Control", `public, max-age=${cacheSecondsOf(performance)}`);
      return performance;
    }),
    handle(ledgerRoutes.getRecordParts, async ({ query }, { ctx }) => {
      const read = await parts.forceFetch(JSON.stringify(query), { context: query });
      ctx.set("Cache-Control", `public, max-age=${PERFORMANCE_CACHE_SECONDS}`);
      return read;
    }),
    handle(ledgerRoutes.exportPerformance, ({ query }, { ctx }) => {
      ctx.attachment(`performance-${deps.now().toISOString().slice(0, 10)}.${query.format}`);
      return Readable.from(exportTrades(deps, query));
    }),
  ];
}
