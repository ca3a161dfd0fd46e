import type { Database } from "@shared/database/database.ts";
import {
  appendToHeadFile,
  headFile,
  presentHead,
  readHeadFile,
  readLedgerHead,
} from "@shared/domain/ledger.ts";
import type { Logger } from "@shared/runtime/logger.ts";

export interface PublishHeadDeps {
  database: Database;
  logger: Logger;
  dataDir: string;
  now: () => Date;
}

/** Publishes today's ledger head in the database, in a file and in the log. The first caller of a day decides. */
export async function publishLedgerHead(deps: PublishHeadDeps): Promise<void> {
  const { database, logger, dataDir } = deps;
  if (!(await settleToday(deps))) return;
  const file = headFile(dataDir);
  const known = new Set((await readHeadFile(file)).map(({ day }) => day));
  const published = await database.ledgerPublications.find().sort({ _id: 1 }).lean();
  const missing = published.map(presentHead).filter(({ day }) => !known.has(day));
  await appendToHeadFile(file, missing);
  for (const head of missing) logger.info(head, "ledger head");
}

async function settleToday({ database, now }: PublishHeadDeps): Promise<boolean> {
  const { seq, hash, at } = await readLedgerHead(database);
  if (at === null) return false;
  const day = now().toISOString().slice(0, 10);
  await database.ledgerPublications.updateOne(
    { _id: day },
    { $setOnInsert: { seq, hash, at } },
    { upsert: true },
  );
  return true;
}
