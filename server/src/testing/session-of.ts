import { HOUR_MS } from "@shared/contract/constants.ts";
import type { UserRecord } from "@shared/database/models/user.ts";
import type { RequestOrigin } from "@shared/outbox/security-log.ts";
import type { AuthenticatedSession } from "../http/sessions.ts";

/** A session as a request would have it. */
export const sessionOf = (
  user: UserRecord,
  sessionId = user.sessions[0]?.id ?? "",
): AuthenticatedSession => ({
  user,
  sessionId,
  startedAt: new Date(),
  expiresAt: new Date(Date.now() + HOUR_MS),
  origin: undefined,
});

export const originOf = (device: string): RequestOrigin => ({
  requestId: "a-test",
  address: "203.0.113.1",
  device,
});
