import { openDatabase } from "@shared/database/database.ts";
import { FILE_KINDS } from "@shared/database/file-bytes.ts";
import { FORMER_PERFORMANCE } from "@shared/database/former-performance.ts";
import { loadWorkerSettings, SettingsError } from "@shared/runtime/settings.ts";
import { MongoClient } from "mongodb";
import type { Command } from "../lib/cli.ts";
import { createOrUpdate } from "../lib/mongo/create-or-update.ts";

/** The accounts of server, worker and backup, with the passwords of the environment. */
export async function main({ say }: Command): Promise<void> {
  const { MONGODB_URI: uri } = loadWorkerSettings();
  if (!uri) throw new SettingsError("MONGODB_URI: is required");
  await createAccounts(uri, {
    server: passwordOf("SERVER"),
    worker: passwordOf("WORKER"),
    backup: passwordOf("BACKUP"),
  });
  say("The database has accounts for server, worker and backup.");
}

const MIN_PASSWORD_LENGTH = 12;

function passwordOf(account: string): string {
  const name = `MONGO_${account}_PASSWORD`;
  const password = process.env[name] ?? "";
  if (password.length >= MIN_PASSWORD_LENGTH) return password;
  throw new SettingsError(`${name}: must have at least ${MIN_PASSWORD_LENGTH} characters`);
}

const CREATE = ["createCollection", "createIndex", "listIndexes"];
const READ = ["find", "changeStream"];
const WRITE = ["insert", "update", "remove"];

/** What a server may write where it may not write everything. */
const SERVER_WRITES: Record<string, readonly string[]> = {
  bench_days: [],
  bench_reports: [],
  bench_schedules: [],
  bench_setups: [],
  bench_spending: [],
  ledger: [],
  leases: [],
  live_prices: [],
  model_servers: ["update"],
  schema_state: [],
  security_log: ["insert"],
  shadow_analyses: [],
  telegram_updates: [],
};

/** What a worker may do where it may not do everything. */
const WORKER_ACTIONS: Record<string, readonly string[]> = {
  analyst_choices: ["find"],
  users: ["find", "update"],
  credit_entries: ["find", "insert"],
  billing_periods: ["find"],
  ledger: ["find", "insert"],
  price_watchers: ["find"],
  payment_proofs: ["find"],
  proof_fingerprints: ["find"],
  schema_state: ["find"],
  payment_details: [],
  plans: ["find"],
  branding: ["find"],
  idempotency_keys: [],
  security_log: [],
  identities: [],
  firebase_accounts: [],
  registration_locks: [],
  mail_tokens: [],
  dashboard_tokens: [],
  rate_limits: [],
};

export interface AccountPasswords {
  server: string;
  worker: string;
  backup: string;
}

/**
 * Creates or updates the accounts of server, worker and backup, each with the privileges that it needs, and the collections
 * that these name.
 * @param uri address of the database with an account that may manage users
 */
export async function createAccounts(uri: string, passwords: AccountPasswords): Promise<void> {
  const { connection, logger: _logger, now: _now, close, ...models } = await openDatabase({ uri });
  const { name: db } = connection;
  const collections = [
    ...Object.values(models).map((model) => model.collection.collectionName),
    ...FILE_KINDS.flatMap((kind) => [`${kind}.files`, `${kind}.chunks`]),
  ];
  await close();
  const on = (collection: string, actions: readonly string[]) => ({
    resource: { db, collection },
    actions,
  });
  const roles = {
    server: [
      on("", [...CREATE, ...READ]),
      ...collections.map((name) => on(name, SERVER_WRITES[name] ?? WRITE)),
    ],
    worker: [
      ...collections.map((name) =>
        on(name, WORKER_ACTIONS[name] ?? [...CREATE, ...READ, ...WRITE]),
      ),
      ...FORMER_PERFORMANCE.map(({ days }) => on(days, ["remove"])),
    ],
    // A consistent backup changes a parameter of the database while it runs.
    backup: [{ resource: { cluster: true }, actions: ["getParameter", "setParameter"] }],
  };
  const client = await MongoClient.connect(uri);
  const admin = client.db("admin");
  try {
    for (const account of ["server", "worker", "backup"] as const) {
      // MongoDB has a role "backup" of its own.
      const role = `signals-${account}`;
      await createOrUpdate(admin, ["Role", role], {
        privileges: roles[account].filter(({ actions }) => actions.length > 0),
        roles: account === "backup" ? [{ role: "read", db }] : [],
      });
      await createOrUpdate(admin, ["User", account], { pwd: passwords[account], roles: [role] });
    }
  } finally {
    await client.close();
  }
}
