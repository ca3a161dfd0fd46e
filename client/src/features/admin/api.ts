import {
  type ActionDone,
  actionDoneSchema,
  auditPageSchema,
  queueTicketSchema,
  systemHealthSchema,
  usageSchema,
  userListSchema,
} from "@shared/contract/admin.ts";
import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { chartImageListSchema } from "@shared/contract/files.ts";
import { type PaymentDetails, paymentDetailsSchema } from "@shared/contract/payment.ts";
import { type QueryKey, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { api } from "../../lib/api/client.ts";
import { errorText } from "../../lib/api/errors.ts";
import { refetch } from "../../lib/query-client.ts";
import { useRealtime } from "../../lib/realtime/store.ts";

export const getQueueTicket = () =>
  api({ method: "POST", path: "/admin/queue/ticket", schema: queueTicketSchema });

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
const USAGE_REFRESH_INTERVAL_MS = 60_000;

/** Half the interval at which workers report. */
const HEALTH_REFRESH_INTERVAL_MS = 5_000;

const useReady = () => useRealtime((live) => live.ready);

function useAdminQuery<Data>(
  queryKey: QueryKey,
  path: string,
  options: { schema: z.ZodType<Data>; refetchInterval?: number },
) {
  const { schema, refetchInterval = false } = options;
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => api({ path, schema, signal }),
    refetchInterval,
    enabled: useReady(),
  });
}

export const useUsers = () =>
  useAdminQuery(adminKeys.users, "/admin/list-users", { schema: userListSchema });

export const useChartImages = () =>
  useAdminQuery(adminKeys.images, "/admin/chart-images", { schema: chartImageListSchema });

export const usePaymentDetails = () =>
  useAdminQuery(adminKeys.payment, "/payment-details", { schema: paymentDetailsSchema });

export const useUsage = () =>
  useAdminQuery(adminKeys.usage, "/admin/usage", {
    schema: usageSchema,
    refetchInterval: USAGE_REFRESH_INTERVAL_MS,
  });

export const useHealth = () =>
  useAdminQuery(adminKeys.health, "/admin/health", {
    schema: systemHealthSchema,
    refetchInterval: HEALTH_REFRESH_INTERVAL_MS,
  });

export const useAudit = () =>
  useInfiniteQuery({
    queryKey: adminKeys.audit,
    queryFn: ({ pageParam, signal }) =>
      api({ path: `/admin/audit${pageParam}`, schema: auditPageSchema, signal }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor: cursor }) =>
      cursor === null ? null : `?${new URLSearchParams({ cursor })}`,
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
    enabled: useReady(),
  });

/** Returns the server's confirmation. Events patch the caches; what they don't cover is read again. */
export async function runAction(action: Promise<ActionDone>): Promise<string> {
  const { detail } = await action;
  const isLive = useRealtime.getState().connection === "online";
  const queryKey = isLive ? adminKeys.audit : ["admin"];
  void refetch({ queryKey });
  return detail;
}

export const reasonOf = (error: unknown): string => errorText(error, "Unknown error");
