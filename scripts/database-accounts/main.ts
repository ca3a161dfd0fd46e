import { loadWorkerSettings, SettingsError } from "@shared/runtime/settings.ts";
import { reportErrors } from "../lib/cli.ts";
import { createAccounts } from "./create-accounts.ts";

const MIN_PASSWORD_LENGTH = 12;

function passwordOf(account: string): string {
  const name = `MONGO_${account}_PASSWORD`;
  const password = process.env[name] ?? "";
  if (password.length >= MIN_PASSWORD_LENGTH) return password;
  throw new SettingsError(`${name}: must have at least ${MIN_PASSWORD_LENGTH} characters`);
}

await reportErrors(async () => {
  const { MONGODB_URI: uri } = loadWorkerSettings();
  if (!uri) throw new SettingsError("MONGODB_URI: is required");
  await createAccounts(uri, {
    server: passwordOf("SERVER"),
    worker: passwordOf("WORKER"),
    backup: passwordOf("BACKUP"),
  });
  console.log("The database has accounts for server, worker and backup.");
});
