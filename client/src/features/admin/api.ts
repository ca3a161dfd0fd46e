import {
  type ActionDone,
  type AuditPage,
  actionDoneSchema,
  auditPageSchema,
  type QueueTicket,
  queueTicketSchema,
  type SystemHealth,
  systemHealthSchema,
  type Usage,
  type UserList,
  usageSchema,
  userListSchema,
} from "@shared/contract/admin.ts";
import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { type ChartImageList, chartImageListSchema } from "@shared/contract/files.ts";
import { type PaymentDetails, paymentDetailsSchema } from "@shared/contract/payment.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "../../lib/api/client.ts";
import { errorText } from "../../lib/api/errors.ts";
import { refetch } from "../../lib/query-client.ts";
import { useRealtime } from "../../lib/realtime/store.ts";

const readUsers = (signal: AbortSignal): Promise<UserList> =>
  api({ path: "/admin/list-users", schema: userListSchema, signal });

const readChartImages = (signal: AbortSignal): Promise<ChartImageList> =>
  api({ path: "/admin/chart-images", schema: chartImageListSchema, signal });

const readPaymentDetails = (signal: AbortSignal): Promise<PaymentDetails> =>
  api({ path: "/payment-details", schema: paymentDetailsSchema, signal });

const readUsage = (signal: AbortSignal): Promise<Usage> =>
  api({ path: "/admin/usage", schema: usageSchema, signal });

const readHealth = (signal: AbortSignal): Promise<SystemHealth> =>
  api({ path: "/admin/health", schema: systemHealthSchema, signal });

export const getQueueTicket = (): Promise<QueueTicket> =>
  api({ method: "POST", path: "/admin/queue/ticket", schema: queueTicketSchema });

function readAudit(cursor: string | null, signal: AbortSignal): Promise<AuditPage> {
  const query = cursor === null ? "" : `?${new URLSearchParams({ cursor })}`;
  return api({ path: `/admin/audit${query}`, schema: auditPageSchema, signal });
}

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

export const adminKeys = {
  users: ["admin", "users"],
  images: ["admin", "chart-images"],
  payment: ["admin", "payment-details"],
  usage: ["admin", "usage"],
  audit: ["admin", "audit"],
  health: ["admin", "health"],
} as const;

/** No event reports token usage, so it is polled. */
const USAGE_REFRESH_MS = 60_000;

/** Half the interval at which workers report. */
const HEALTH_REFRESH_MS = 5_000;

const FIRST_PAGE: string | null = null;

const useReady = () => useRealtime((live) => live.ready);

export const useUsers = () =>
  useQuery({
    queryKey: adminKeys.users,
    queryFn: ({ signal }) => readUsers(signal),
    enabled: useReady(),
  });

export const useChartImages = () =>
  useQuery({
    queryKey: adminKeys.images,
    queryFn: ({ signal }) => readChartImages(signal),
    enabled: useReady(),
  });

export const usePaymentDetails = () =>
  useQuery({
    queryKey: adminKeys.payment,
    queryFn: ({ signal }) => readPaymentDetails(signal),
    enabled: useReady(),
  });

export const useUsage = () =>
  useQuery({
    queryKey: adminKeys.usage,
    queryFn: ({ signal }) => readUsage(signal),
    refetchInterval: USAGE_REFRESH_MS,
    enabled: useReady(),
  });

export const useHealth = () =>
  useQuery({
    queryKey: adminKeys.health,
    queryFn: ({ signal }) => readHealth(signal),
    enabled: useReady(),
    refetchInterval: HEALTH_REFRESH_MS,
  });

export function useAudit() {
  return useInfiniteQuery({
    queryKey: adminKeys.audit,
    queryFn: ({ pageParam, signal }) => readAudit(pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.next_cursor,
    enabled: useReady(),
  });
}

/** Returns the server's confirmation. Events patch the caches; what they don't cover is read again. */
export async function runAction(action: Promise<ActionDone>): Promise<string> {
  const { detail } = await action;
  const isLive = useRealtime.getState().connection === "online";
  const queryKey = isLive ? adminKeys.audit : ["admin"];
  void refetch({ queryKey });
  return detail;
}

export const reasonOf = (error: unknown): string => errorText(error, "Unknown error");
