import { type Me, meSchema, type PaymentProof } from "@shared/contract/account.ts";
import type { AccountReason } from "@shared/contract/events/event-data.ts";
import type { ProofRejection } from "@shared/contract/proof-rejection.ts";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../lib/api/client.ts";
import { patchQueries, queryClient, refetch } from "../lib/query-client.ts";
import type { LiveEvent } from "../lib/realtime/events.ts";
import { useRealtime } from "../lib/realtime/store.ts";

/** The signed-in user. Once read, it is kept current by events of the user's stream. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => api({ path: "/me", schema: meSchema, signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export function useMe(): Me | undefined {
  const ready = useRealtime((live) => live.ready);
  return useQuery({ ...meQuery, enabled: ready }).data;
}

export const readMe = (): Promise<Me> => queryClient.fetchQuery({ ...meQuery, staleTime: 0 });

export const refetchMe = (): Promise<void> => refetch({ queryKey: meQuery.queryKey });

export function waitingProof(me: Me | undefined): PaymentProof | null {
  const proof = me?.payment_proof;
  return proof && !proof.reviewed_at ? proof : null;
}

/** Why the last payment proof was rejected; null once there is another one. */
export const proofRejection = (me: Me | undefined): ProofRejection | null =>
  me?.payment_proof?.rejection ?? null;

/** Their events contain neither the payment proof nor the subscription. */
const partialReasons: readonly AccountReason[] = [
  "approved",
  "revoked",
  "proof-submitted",
  "proof-rejected",
  "subscription-started",
  "subscription-renewed",
  "subscription-grace",
  "subscription-ended",
];

/** Patches the account with an event of the user's stream. */
export function applyAccountEvent(event: LiveEvent): void {
  if (event.name === "proof:deleted") patchMe(event.seq, { payment_proof: null });
  if (event.name !== "account:updated") return;
  const { reason, proof_rejection: _, automatic: _automatic, ...change } = event.data;
  const verified = reason === "email-verified" ? { email_verified: true } : {};
  patchMe(event.seq, { ...change, ...verified });
  if (partialReasons.includes(reason)) void refetchMe();
}

/** `GET /me` may contain the event already, and later ones too. */
function patchMe(seq: number, change: Partial<Me>): void {
  patchQueries<Me>(meQuery.queryKey, (me) => {
    const { stream_positions: positions } = me;
    if (seq <= positions.user) return me;
    return { ...me, ...change, stream_positions: { ...positions, user: seq } };
  });
}
