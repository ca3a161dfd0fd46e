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
 * Makes the administrator that the settings name, unless there already is one. Servers that start at the same
 * moment make one between them: the admins' stream lets only one of their transactions through at a time.
 * @returns whether this call made him
 * @throws SettingsError if the name or the address belongs to somebody else
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
