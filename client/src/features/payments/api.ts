import { offeredPaymentsSchema } from "@shared/contract/payment.ts";
import { type OwnSubscription, ownSubscriptionSchema } from "@shared/contract/subscription.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "../../lib/api/client.ts";
import { refetch } from "../../lib/query-client.ts";
import { onLiveEvent } from "../../lib/realtime/events.ts";

export const useOfferedPayments = () =>
  useQuery({
    queryKey: ["payment-details"],
    queryFn: ({ signal }) =>
      api({ path: "/payment-details", schema: offeredPaymentsSchema, signal }),
  });

const subscriptionQuery = queryOptions({
  queryKey: ["subscription"],
  queryFn: ({ signal }) => api({ path: "/me/subscription", schema: ownSubscriptionSchema, signal }),
});

const refetchSubscription = () => refetch({ queryKey: subscriptionQuery.queryKey });

/** The user's payments and next credits, which no event contains: they are read again after each event that changes them. */
export function useOwnSubscription() {
  useEffect(
    () =>
      onLiveEvent(({ name }) => {
        if (name === "account:updated" || name === "proof:deleted") void refetchSubscription();
      }),
    [],
  );
  return useQuery(subscriptionQuery);
}

/** When an administrator ended the subscription early. */
export const revokedAt = (own: OwnSubscription | undefined): string | null =>
  own?.periods[0]?.revoked_at ?? null;
