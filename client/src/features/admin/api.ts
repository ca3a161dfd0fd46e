import type { UserCard } from "@shared/contract/account.ts";
import {
  type ActionDone,
  actionDoneSchema,
  type PaymentDetailsUpdate,
  type RoleChange,
  setupSchema,
  systemHealthSchema,
  type UserListQuery,
  type UsersEmail,
  usageSchema,
  userDetailsSchema,
  userListSchema,
} from "@shared/contract/admin.ts";
import { type BrandingUpdate, storedBrandingSchema } from "@shared/contract/branding.ts";
import { channelTotalsSchema } from "@shared/contract/channels.ts";
import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { chartImageListSchema } from "@shared/contract/files.ts";
import { paymentDetailsSchema } from "@shared/contract/payment.ts";
import type { PlanUpdate } from "@shared/contract/plan-terms.ts";
import type { PlanId } from "@shared/contract/plans.ts";
import type { RejectProof } from "@shared/contract/proof-rejection.ts";
import { type SecurityLogQuery, securityLogPageSchema } from "@shared/contract/security-log.ts";
import {
  type Approval,
  type PaymentFilter,
  paymentListSchema,
  subscriptionSummarySchema,
} from "@shared/contract/subscription.ts";
import { keepPreviousData, type QueryKey, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { z } from "zod";
import { OVERVIEW_KEY } from "../../domain/admin-overview.ts";
import { api } from "../../lib/api/client.ts";
import { errorText } from "../../lib/api/errors.ts";
import { BRANDING_KEY } from "../../lib/brand.ts";
import { refetch } from "../../lib/query-client.ts";
import { useRealtime } from "../../lib/realtime/store.ts";
import { saveFile } from "../../lib/save-file.ts";
import { showToast } from "../../ui/show-toast.ts";

export type UserAction = "revoke" | "delete-user" | "delete-proof" | "delete-signal-history";

const schema = actionDoneSchema;

export const actOnUser = (action: UserAction, username: string): Promise<ActionDone> =>
  api({ method: "POST", path: `/admin/${action}/:username`, params: { username }, schema });

export const approveUser = (username: string, body: Approval): Promise<ActionDone> =>
  api({ method: "POST", path: "/admin/approve/:username", params: { username }, body, schema });

export const undoAccess = (username: string): Promise<ActionDone> =>
  api({ method: "POST", path: "/admin/undo/:username", params: { username }, schema });

export const emailUsers = (body: UsersEmail): Promise<ActionDone> =>
  api({ method: "POST", path: "/admin/email-users", body, schema });

export const rejectProof = (username: string, body: RejectProof): Promise<ActionDone> =>
  api({
    method: "POST",
    path: "/admin/reject-proof/:username",
    params: { username },
    body,
    schema,
  });

/** Renews the subscription as it is shown: of several requests for the same end, one counts. */
export const renewSubscription = (
  { username, subscription }: UserCard,
  renewal: Approval,
): Promise<ActionDone> =>
  api({
    method: "POST",
    path: "/admin/renew/:username",
    params: { username },
    headers: { "Idempotency-Key": `renew-${subscription?.ends_at}` },
    body: { ...renewal, ends_at: subscription?.ends_at },
    schema,
  });

/** Saves the payments that a filter selects as a file. */
export async function exportPayments(query: PaymentFilter): Promise<void> {
  const csv = await api({
    path: "/admin/subscriptions/export",
    query,
    headers: { Accept: "text/csv" },
    timeoutMs: TIMEOUTS_MS.history,
    schema: z.string(),
  });
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`subscriptions-${day}.csv`, csv, "text/csv;charset=utf-8");
}

export function setImageAccess(username: string, allow: boolean): Promise<ActionDone> {
  const path = "/admin/set-image-access/:username";
  const body = new URLSearchParams({ allow: String(allow) });
  return api({ method: "POST", path, params: { username }, body, schema });
}

/** @param grant.key of several requests with the same one, one counts */
export function grantCredits(
  username: string,
  { credits, key }: { credits: number; key: string },
): Promise<ActionDone> {
  const path = "/admin/grant-image-credits/:username";
  const headers = { "Idempotency-Key": key };
  const body = new URLSearchParams({ credits: String(credits) });
  return api({ method: "POST", path, params: { username }, headers, body, schema });
}

export const setRole = (username: string, body: RoleChange): Promise<ActionDone> =>
  api({ method: "POST", path: "/admin/set-role/:username", params: { username }, body, schema });

export const savePaymentDetails = (body: PaymentDetailsUpdate): Promise<ActionDone> =>
  api({ method: "POST", path: "/admin/update-payment-details", body, schema });

export const savePlan = (id: PlanId, body: PlanUpdate): Promise<ActionDone> =>
  api({ method: "PUT", path: "/admin/plans/:id", params: { id }, body, schema });

export const saveBranding = (body: BrandingUpdate): Promise<ActionDone> =>
  api({ method: "PUT", path: "/admin/branding", body, schema });

export function saveLogo(logo: File): Promise<ActionDone> {
  const body = new FormData();
  body.append("logo", logo);
  return api({ method: "POST", path: "/admin/branding/logo", body, schema });
}

export const deleteLogo = (): Promise<ActionDone> =>
  api({ method: "DELETE", path: "/admin/branding/logo", schema });

/** Shows everywhere on the page what was saved. */
export const refetchBranding = () =>
  Promise.all(
    [adminKeys.branding, adminKeys.setup, BRANDING_KEY].map((queryKey) => refetch({ queryKey })),
  );

/** Pauses or resumes the deliveries to all channels. */
export const setDeliveriesPaused = (isPaused: boolean): Promise<ActionDone> =>
  api({ method: "POST", path: `/admin/channels/${isPaused ? "pause" : "resume"}`, schema });

/** Workers make the test; the system's health shows the result. */
export async function testModel(): Promise<void> {
  await api({ method: "POST", path: "/admin/test-model", schema });
  await refetch({ queryKey: adminKeys.health });
}

export function clearAllHistory(): Promise<ActionDone> {
  const path = "/admin/clear-all-signal-history";
  return api({ method: "POST", path, timeoutMs: TIMEOUTS_MS.cleanup, schema });
}

export const deleteChartImage = (filename: string): Promise<ActionDone> =>
  api({
    method: "DELETE",
    path: "/admin/delete-chart-image/:filename",
    params: { filename },
    schema,
  });

export const adminKeys = {
  users: ["admin", "users"],
  /** The lists that a new user appears in. */
  openUserLists: ["admin", "users", "open"],
  waiting: ["admin", "waiting"],
  user: ["admin", "user"],
  setup: ["admin", "setup"],
  images: ["admin", "chart-images"],
  payment: ["admin", "payment-details"],
  branding: ["admin", "branding"],
  usage: ["admin", "usage"],
  /** Below the overview, so that the events which concern that are followed here too. */
  subscriptions: [...OVERVIEW_KEY, "subscriptions"],
  securityLog: ["admin", "security-log"],
  health: ["admin", "health"],
  channels: ["admin", "channels"],
} as const;

/** What no event reports is polled; health at half the interval at which workers report. */
const REFRESH_INTERVALS_MS = { usage: 60_000, setup: 30_000, channels: 15_000, health: 5_000 };

const useReady = () => useRealtime((live) => live.ready);

export function useAdminQuery<Data>(
  queryKey: QueryKey,
  read: (signal: AbortSignal) => Promise<Data>,
  refetchInterval: number | false = false,
) {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    refetchInterval,
    enabled: useReady(),
  });
}

const LIST_USERS = { path: "/admin/list-users", schema: userListSchema } as const;

export type UserFilter = Pick<UserListQuery, "search" | "status" | "sort">;

export const useUsers = ({ search, status, sort }: UserFilter, limit: number) => {
  const isOpen = !search && !sort && (status === undefined || status === "pending");
  const query = { search, status, sort, limit };
  return useInfiniteQuery({
    queryKey: [...adminKeys.users, isOpen ? "open" : "filtered", query],
    queryFn: ({ pageParam, signal }) =>
      api({ ...LIST_USERS, query: { ...query, ...pageParam }, signal }),
    initialPageParam: {},
    getNextPageParam: ({ next_cursor: cursor }) => cursor && { cursor },
    placeholderData: keepPreviousData,
    enabled: useReady(),
  });
};

const MAX_WAITING = 200;

/** The users whose payment proofs await review. */
export const useWaitingProofs = () =>
  useAdminQuery(adminKeys.waiting, (signal) =>
    api({ ...LIST_USERS, query: { status: "proof", limit: MAX_WAITING }, signal }),
  );

export const readUser = (username: string, signal?: AbortSignal) =>
  api({
    path: "/admin/users/:username",
    params: { username },
    schema: userDetailsSchema,
    ...(signal && { signal }),
  });

export const useUserDetails = (username: string) =>
  useAdminQuery([...adminKeys.user, username], (signal) => readUser(username, signal));

export const useSetup = () =>
  useAdminQuery(
    adminKeys.setup,
    (signal) => api({ path: "/admin/setup", schema: setupSchema, signal }),
    REFRESH_INTERVALS_MS.setup,
  );

export const useChartImages = () =>
  useAdminQuery(adminKeys.images, (signal) =>
    api({ path: "/admin/chart-images", schema: chartImageListSchema, signal }),
  );

export const usePaymentDetails = () =>
  useAdminQuery(adminKeys.payment, (signal) =>
    api({ path: "/payment-details", schema: paymentDetailsSchema, signal }),
  );

export const useStoredBranding = () =>
  useAdminQuery(adminKeys.branding, (signal) =>
    api({ path: "/admin/branding", schema: storedBrandingSchema, signal }),
  );

export const useSubscriptionSummary = () =>
  useAdminQuery(adminKeys.subscriptions, (signal) =>
    api({ path: "/admin/subscriptions", schema: subscriptionSummarySchema, signal }),
  );

export const usePayments = (filter: PaymentFilter) =>
  useInfiniteQuery({
    queryKey: [...adminKeys.subscriptions, "payments", filter],
    queryFn: ({ pageParam, signal }) =>
      api({
        path: "/admin/payments",
        query: { ...filter, ...pageParam },
        schema: paymentListSchema,
        signal,
      }),
    initialPageParam: {},
    getNextPageParam: ({ next_cursor: cursor }) => cursor && { cursor },
    placeholderData: keepPreviousData,
    enabled: useReady(),
  });

export const useUsage = () =>
  useAdminQuery(
    adminKeys.usage,
    (signal) => api({ path: "/admin/usage", schema: usageSchema, signal }),
    REFRESH_INTERVALS_MS.usage,
  );

export const useHealth = () =>
  useAdminQuery(
    adminKeys.health,
    (signal) => api({ path: "/admin/health", schema: systemHealthSchema, signal }),
    REFRESH_INTERVALS_MS.health,
  );

export const useChannelTotals = () =>
  useAdminQuery(
    adminKeys.channels,
    (signal) => api({ path: "/admin/channels", schema: channelTotalsSchema, signal }),
    REFRESH_INTERVALS_MS.channels,
  );

export const useSecurityLog = (filter: Partial<SecurityLogQuery>) =>
  useInfiniteQuery({
    queryKey: [...adminKeys.securityLog, filter],
    queryFn: ({ pageParam, signal }) =>
      api({
        path: "/admin/security-log",
        query: { ...filter, ...pageParam },
        schema: securityLogPageSchema,
        signal,
      }),
    initialPageParam: {},
    getNextPageParam: ({ next_cursor: cursor }) => cursor && { cursor },
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
    enabled: useReady(),
  });

/** Returns the server's confirmation. Events patch the caches; what they don't cover is read again. */
export async function runAction(action: Promise<ActionDone>): Promise<string> {
  const { detail } = await action;
  const isLive = useRealtime.getState().connection === "online";
  const queryKey = isLive ? adminKeys.securityLog : ["admin"];
  void refetch({ queryKey });
  return detail;
}

export const runAndConfirm = async (action: Promise<ActionDone>): Promise<void> =>
  showToast({ title: await runAction(action) });

/** Shows the confirmation of an action, with a button that sends its opposite. */
export async function runReversible(
  action: Promise<ActionDone>,
  opposite: () => Promise<ActionDone>,
): Promise<void> {
  const title = await runAction(action);
  const undo = () =>
    runAndConfirm(opposite()).catch((error: unknown) =>
      showToast({ title: "Undo failed", description: reasonOf(error) }),
    );
  showToast({ title, action: { label: "Undo", run: () => void undo() } });
}

export const reasonOf = (error: unknown): string => errorText(error, "Unknown error");
