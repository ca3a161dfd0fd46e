import { Readable } from "node:stream";
import Router from "@koa/router";
import { readHead } from "@shared/domain/ledger.ts";
import type { AppRouter, AppState } from "../../http/context.ts";
import { rateLimits } from "../../http/rate-limits.ts";
import { parseInput } from "../../http/request-input.ts";
import type { ServerDeps } from "../../server-deps.ts";
import {
  downloadLedger,
  ledgerHeadsQuerySchema,
  ledgerQuerySchema,
  listLedgerHeads,
  readHeadProof,
  readLedgerPage,
} from "./ledger.ts";

/** Records are appended about once a second at most. */
const HEAD_CACHE_SECONDS = 5;

/** The public ledger of all market analyses and their outcomes. */
export function createLedgerRoutes(deps: ServerDeps): AppRouter {
  const router = new Router<AppState>();

  router.get("/ledger", ...rateLimits(deps, "readLedger"), async (ctx) => {
    ctx.body = await readLedgerPage(deps, parseInput(ledgerQuerySchema, ctx.query));
  });

  router.get("/ledger/head", async (ctx) => {
    const head = await readHead(deps.database);
    ctx.set("Cache-Control", `public, max-age=${HEAD_CACHE_SECONDS}`);
    ctx.body = head;
  });

  router.get("/ledger/heads", ...rateLimits(deps, "readLedger"), async (ctx) => {
    ctx.body = await listLedgerHeads(deps, parseInput(ledgerHeadsQuerySchema, ctx.query));
  });

  router.get("/ledger/heads/:day/ots", ...rateLimits(deps, "readLedger"), async (ctx) => {
    const day = ctx.params.day ?? "";
    const proof = await readHeadProof(deps, day);
    ctx.attachment(`ledger-head-${day}.ots`);
    // The extension alone would stand for a spreadsheet.
    ctx.type = "application/octet-stream";
    ctx.body = proof;
  });

  router.get("/ledger/download", ...rateLimits(deps, "downloadLedger"), (ctx) => {
    ctx.attachment("ledger.ndjson");
    ctx.type = "application/x-ndjson";
    ctx.body = Readable.from(downloadLedger(deps));
  });

  return router;
}
