import type { Database } from "@shared/database/database.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { SettingsError } from "@shared/runtime/settings.ts";
import type { ClientSession } from "mongoose";
import type { ServerDeps } from "../../server-deps.ts";
import { type AccountDeps, createAccount } from "./register.ts";

class AdminExistsError extends Error {
  override readonly name = "AdminExistsError";
}

/**
 * Creates the administrator named in the settings, unless there is one. Of several servers that start at once, one
 * creates it, because the admins' stream serializes their transactions.
 * @throws SettingsError if the name or the address belongs to another user
 */
export async function ensureFirstAdmin(
  deps: AccountDeps & Pick<ServerDeps, "settings">,
): Promise<boolean> {
  const { database, settings } = deps;
  if (await hasAdmin(database)) return false;
  try {
    await createAccount(deps, {
      username: settings.ADMIN_USERNAME,
      email: settings.ADMIN_EMAIL,
      password: settings.ADMIN_PASSWORD,
      role: "admin",
      approved: true,
      asksToVerifyEmail: false,
      check: async ({ session }) => {
        if (await hasAdmin(database, session)) throw new AdminExistsError();
      },
    });
    return true;
  } catch (error) {
    if (error instanceof AdminExistsError || (await hasAdmin(database))) return false;
    throw settingsError(error) ?? error;
  }
}

async function hasAdmin(database: Database, session?: ClientSession): Promise<boolean> {
  const admin = await database.users.exists({ role: "admin" }).session(session ?? null);
  return admin !== null;
}

function settingsError(error: unknown): SettingsError | undefined {
  if (!(error instanceof AppError)) return undefined;
  const { code, serviceCode } = error;
  if (serviceCode === "EMAIL_EXISTS") {
    return new SettingsError(
      "ADMIN_PASSWORD: is not the password of ADMIN_EMAIL's account at Firebase",
    );
  }
  if (code === "auth/username-already-in-use") {
    return new SettingsError("ADMIN_USERNAME: is the name of a user who is no administrator");
  }
  if (code === "auth/email-already-in-use") {
    return new SettingsError("ADMIN_EMAIL: is the address of a user who is no administrator");
  }
  return undefined;
}
