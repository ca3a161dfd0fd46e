import type { UserRecord } from "@shared/database/models/user.ts";
import type { Settings } from "@shared/runtime/settings.ts";

/** In production, administrators can only turn on their second factor until they have done so. */
export const mustEnrol = (
  { NODE_ENV }: Pick<Settings, "NODE_ENV">,
  { role, twoFactor }: Pick<UserRecord, "role" | "twoFactor">,
): boolean => NODE_ENV === "production" && role === "admin" && twoFactor === null;

/** Whether the user gets the events of the administrators' stream. */
export const readsAdminEvents = (
  settings: Pick<Settings, "NODE_ENV">,
  user: Pick<UserRecord, "role" | "twoFactor">,
): boolean => user.role === "admin" && !mustEnrol(settings, user);
