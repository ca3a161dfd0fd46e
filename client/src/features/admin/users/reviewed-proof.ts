import type { UserCard } from "@shared/contract/account.ts";
import type { UserList } from "@shared/contract/admin.ts";
import { create } from "zustand";
import { queryClient } from "../../../lib/query-client.ts";
import type { LiveEvent } from "../../../lib/realtime/events.ts";
import { adminKeys } from "../api.ts";

export interface Review {
  user: UserCard;
  /** The proof was deleted meanwhile. */
  isGone: boolean;
}

/** The open proof of payment, or the last one, which stays in the dialog until it has closed. */
export const useReview = create<{ review: Review | null; isOpen: boolean }>()(() => ({
  review: null,
  isOpen: false,
}));

export const openProof = (user: UserCard) =>
  useReview.setState({ review: { user, isGone: false }, isOpen: true });
export const closeProof = () => useReview.setState({ isOpen: false });

/** Shows what another administrator does to the open proof. */
export function followReview(event: LiveEvent): void {
  const { review, isOpen } = useReview.getState();
  if (!isOpen) return;
  if (event.name !== "user:updated" && event.name !== "user:deleted") return;
  if (review?.user.username !== event.data.username) return;
  const updated = event.name === "user:updated" ? event.data : null;
  if (updated?.payment_proof) openProof(updated);
  else useReview.setState({ review: { ...review, isGone: true } });
}

const placeOf = ({ username, payment_proof: proof }: UserCard) =>
  `${proof?.submitted_at} ${username}`;

export const oldestFirst = (users: readonly UserCard[]): UserCard[] =>
  [...users].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));

/** The other waiting proofs, oldest first, and those around this user's. */
export function neighboursOf(waiting: readonly UserCard[], user: UserCard) {
  const others = oldestFirst(waiting.filter(({ username }) => username !== user.username));
  const earlier = others.filter((other) => placeOf(other) < placeOf(user)).length;
  return { others, earlier, previous: others[earlier - 1], next: others[earlier] };
}

/** Opens the next waiting proof after one is handled; after the last one, the oldest that is left. */
export function openNext(handled: UserCard): void {
  const waiting = queryClient.getQueryData<UserList>(adminKeys.waiting)?.users ?? [];
  const { next, others } = neighboursOf(waiting, handled);
  const following = next ?? others[0];
  if (following) openProof(following);
  else closeProof();
}
