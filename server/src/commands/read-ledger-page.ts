import { LEDGER_PAGE, type LedgerPage } from "@shared/contract/ledger.ts";
import {
  publicAudience,
  readEntries,
  readHead,
  streamEntries,
} from "@shared/node/ledger/read-ledger.ts";
import { z } from "zod";
import type { ServerDeps } from "../server-deps.ts";

type LedgerDeps = Pick<ServerDeps, "database" | "now">;

const wholeNumber = z.coerce
  .number({ error: "Use a whole number." })
  .int({ error: "Use a whole number." });

/** Query of `GET /ledger`; a larger limit than allowed gives the largest page. */
export const ledgerQuerySchema = z.object({
  after: wholeNumber
    .min(0, { error: "Use 0 or more." })
    .default(0)
    .meta({ description: "Number of the last record that is already known" }),
  limit: wholeNumber
    .min(1, { error: "Use 1 or more." })
    .transform((limit) => Math.min(limit, LEDGER_PAGE.max))
    .default(LEDGER_PAGE.default)
    .meta({
      description: `Records of the page: ${LEDGER_PAGE.default} if not given, ${LEDGER_PAGE.max} at most`,
    }),
});
export type LedgerQuery = z.infer<typeof ledgerQuerySchema>;

/** The records after one, oldest first, as everybody may see them. */
export async function readLedgerPage(
  { database, now }: LedgerDeps,
  { after, limit }: LedgerQuery,
): Promise<LedgerPage> {
  const head = await readHead(database);
  const audience = publicAudience(head, now());
  const entries = await readEntries(database, { after, upTo: head.seq, limit, audience });
  const last = entries.at(-1)?.record.seq ?? head.seq;
  return { entries, next_after: last < head.seq ? last : null, head };
}

/** The whole ledger as everybody may see it, one entry of JSON a line. */
export async function* downloadLedger({ database, now }: LedgerDeps): AsyncGenerator<string> {
  const head = await readHead(database);
  const audience = publicAudience(head, now());
  for await (const entry of streamEntries(database, { upTo: head.seq, audience })) {
    yield `${JSON.stringify(entry)}\n`;
  }
}
