import {
  type ActionDone,
  type AuditPage,
  actionDoneSchema,
  auditPageSchema,
  type QueueTicket,
  queueTicketSchema,
  type UserList,
  userListSchema,
} from "@shared/contract/admin.ts";
import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type ChartImageList, chartImageListSchema } from "@shared/contract/files.ts";
import { type SystemHealth, systemHealthSchema } from "@shared/contract/health.ts";
import { type PaymentDetails, paymentDetailsSchema } from "@shared/contract/payment.ts";
import { type Usage, usageSchema } from "@shared/contract/usage.ts";
import { api } from "../../lib/api/api.ts";

export const readUsers = (signal: AbortSignal): Promise<UserList> =>
  api({ path: "/admin/list-users", schema: userListSchema, signal });

export const readChartImages = (signal: AbortSignal): Promise<ChartImageList> =>
  api({ path: "/admin/chart-images", schema: chartImageListSchema, signal });

export const readPaymentDetails = (signal: AbortSignal): Promise<PaymentDetails> =>
  api({ path: "/payment-details", schema: paymentDetailsSchema, signal });

export const readUsage = (signal: AbortSignal): Promise<Usage> =>
  api({ path: "/admin/usage", schema: usageSchema, signal });

export const readHealth = (signal: AbortSignal): Promise<SystemHealth> =>
  api({ path: "/admin/health", schema: systemHealthSchema, signal });

/** A ticket that opens the page of the job queue once, within a minute. */
export const getQueueTicket = (): Promise<QueueTicket> =>
  api({ method: "POST", path: "/admin/queue/ticket", schema: queueTicketSchema });

/** One page of the audit trail, newest first; `cursor` is the page's before, null for the first. */
export function readAudit(cursor: string | null, signal: AbortSignal): Promise<AuditPage> {
  const query = cursor === null ? "" : `?${new URLSearchParams({ cursor })}`;
  return api({ path: `/admin/audit${query}`, schema: auditPageSchema, signal });
}

/** Actions on one user that need nothing but the name. */
export type UserAction =
  | "approve"
  | "revoke"
  | "delete-user"
  | "delete-proof"
  | "delete-signal-history";

export const actOnUser = (action: UserAction, username: string): Promise<ActionDone> =>
  post({ path: `/admin/${action}/${encodeURIComponent(username)}` });

export const setImageAccess = (username: string, allow: boolean): Promise<ActionDone> =>
  post({
    path: `/admin/set-image-access/${encodeURIComponent(username)}`,
    body: new URLSearchParams({ allow: String(allow) }),
  });

/** Adds `credits`, a whole number that may be negative, to a user's balance. */
export const grantCredits = (username: string, credits: number): Promise<ActionDone> =>
  post({
    path: `/admin/grant-image-credits/${encodeURIComponent(username)}`,
    body: new URLSearchParams({ credits: String(credits) }),
  });

export const savePaymentDetails = (details: PaymentDetails): Promise<ActionDone> =>
  post({ path: "/admin/update-payment-details", body: details });

export const clearAllHistory = (): Promise<ActionDone> =>
  post({ path: "/admin/clear-all-signal-history", timeoutMs: TIMEOUTS_MS.cleanup });

export const deleteChartImage = (filename: string): Promise<ActionDone> =>
  api({
    method: "DELETE",
    path: `/admin/delete-chart-image/${encodeURIComponent(filename)}`,
    schema: actionDoneSchema,
  });

const post = (request: { path: string; body?: unknown; timeoutMs?: number }) =>
  api({ method: "POST", ...request, schema: actionDoneSchema });
