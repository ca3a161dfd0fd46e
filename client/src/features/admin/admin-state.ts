import type { UserCard } from "@shared/contract/account.ts";
import type { ActionDone, UserList } from "@shared/contract/admin.ts";
import type { ChartImage, ChartImageList } from "@shared/contract/files.ts";
import type { InfiniteData } from "@tanstack/react-query";
import { useEffect } from "react";
import { create } from "zustand";
import { hasCode } from "../../lib/api/errors.ts";
import { patchQueries, queryClient, refetch } from "../../lib/query-client.ts";
import { type LiveEvent, onLiveEvent } from "../../lib/realtime/events.ts";
import { showToast } from "../../ui/show-toast.ts";
import { adminKeys, readUser, runAndConfirm } from "./api.ts";

export function useAdminSync(): void {
  useEffect(() => onLiveEvent(follow), []);
}

function follow(event: LiveEvent): void {
  if (event.stream !== "admins") return;
  patchQueries<InfiniteData<UserList>>(adminKeys.users, (data) => applyToPages(data, event));
  patchQueries<UserList>(adminKeys.waiting, (list) => applyToWaiting(list, event));
  followReview(event);
  patchQueries<ChartImageList>(adminKeys.images, ({ images }) => ({
    images: applyToImages(images, event),
  }));
  if (event.name === "user:registered") {
    const { data: card } = event;
    patchQueries<InfiniteData<UserList>>(adminKeys.openUserLists, (list) => withNew(list, card));
  }
  if (event.name === "user:updated") {
    void refetch({ queryKey: [...adminKeys.user, event.data.username] });
  }
  if (event.name === "payment-details:updated") {
    patchQueries(adminKeys.payment, () => event.data);
    void refetch({ queryKey: adminKeys.setup });
  }
  if (event.name === "budget:reached") void refetch({ queryKey: adminKeys.usage });
  void refetch({ queryKey: adminKeys.securityLog });
}

type UserPages = InfiniteData<UserList>;

/** Changes the cards of the users where they stand, also if they no longer match the filter. */
export function applyToPages({ pages, pageParams }: UserPages, event: LiveEvent): UserPages {
  const deleted = event.name === "user:deleted" ? 1 : 0;
  return {
    pageParams,
    pages: pages.map((page) => ({
      ...page,
      users: page.users.flatMap((user) => applyToUser(user, event) ?? []),
      total: page.total - deleted,
    })),
  };
}

/** The newest user comes first. */
export function withNew({ pages, pageParams }: UserPages, card: UserCard): UserPages {
  const isKnown = pages.some(({ users }) => users.some((user) => isSame(user, card)));
  if (isKnown) return { pages, pageParams };
  return {
    pageParams,
    pages: pages.map((page, index) => ({
      ...page,
      users: index === 0 ? [card, ...page.users] : page.users,
      total: page.total + 1,
    })),
  };
}

const isSame = (a: Pick<UserCard, "username">, b: Pick<UserCard, "username">): boolean =>
  a.username === b.username;

/** @returns the same card if the event does not concern it, null if the user is deleted */
export function applyToUser(user: UserCard, event: LiveEvent): UserCard | null {
  switch (event.name) {
    case "user:registered":
    case "user:updated":
      return isSame(user, event.data) ? event.data : user;
    case "user:deleted":
      return isSame(user, event.data) ? null : user;
    default:
      return user;
  }
}

export const isWaiting = ({ payment_proof: proof }: UserCard): boolean =>
  proof !== null && proof.reviewed_at === undefined;

export function applyToWaiting(list: UserList, event: LiveEvent): UserList {
  if (event.name === "user:updated") return withCard(list, event.data);
  return event.name === "user:deleted" ? withoutUser(list, event.data) : list;
}

/** The waiting proofs with the present one of the user, if it waits. */
function withCard(list: UserList, card: UserCard): UserList {
  const others = withoutUser(list, card);
  if (!isWaiting(card)) return others;
  return { ...others, users: [...others.users, card], total: others.total + 1 };
}

function withoutUser(list: UserList, user: Pick<UserCard, "username">): UserList {
  const users = list.users.filter((other) => !isSame(other, user));
  return { ...list, users, total: list.total + users.length - list.users.length };
}

export function applyToImages(images: ChartImage[], event: LiveEvent): ChartImage[] {
  if (event.name === "chart-image:deleted") {
    return images.filter(({ filename }) => filename !== event.data.filename);
  }
  if (event.name !== "chart-image:added") return images;
  const others = images.filter(({ filename }) => filename !== event.data.filename);
  return [event.data, ...others];
}

export interface Review {
  user: UserCard;
  /** The proof was deleted meanwhile. */
  isGone: boolean;
  /** The user with another proof, which was submitted meanwhile. */
  replacedBy?: UserCard;
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
function followReview(event: LiveEvent): void {
  const { review, isOpen } = useReview.getState();
  if (!isOpen) return;
  if (event.name !== "user:updated" && event.name !== "user:deleted") return;
  if (review?.user.username !== event.data.username) return;
  const updated = event.name === "user:updated" ? event.data : null;
  if (!updated?.payment_proof) useReview.setState({ review: { ...review, isGone: true } });
  else if (hasSameProof(updated, review.user)) openProof(updated);
  else showReplaced(updated);
}

export const hasSameProof = (one: UserCard, other: UserCard): boolean =>
  one.payment_proof?.id === other.payment_proof?.id;

/**
 * Keeps the open proof until the administrator asks for the one that has replaced it.
 * @returns whether a proof of the user is open
 */
function showReplaced(user: UserCard): boolean {
  const { review, isOpen } = useReview.getState();
  if (!isOpen || !review || !isSame(review.user, user)) return false;
  useReview.setState({ review: { ...review, replacedBy: user } });
  return true;
}

/** Sends an approval or a renewal. If the user's proof is another one by now, says so and offers to show it. */
export const accept = (user: UserCard, send: () => Promise<ActionDone>): Promise<void> =>
  offerIfChanged(user.username, () => runAndConfirm(send()));

/** If the action fails because the user's proof is another one by now, says so and offers to show it. */
export async function offerIfChanged(username: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (hasCode(error, "proof-changed")) void offerCurrentProof(username).catch(() => undefined);
    throw error;
  }
}

/** Without it, the list still shows the new proof. */
async function offerCurrentProof(username: string): Promise<void> {
  const { user } = await readUser(username);
  // Until the list is read again, its older proof would seem to replace this one.
  patchQueries<UserList>(adminKeys.waiting, (list) => withCard(list, user));
  void refetch({ queryKey: adminKeys.users });
  void refetch({ queryKey: adminKeys.waiting });
  if (!user.payment_proof)
    return showToast({ title: `The payment proof of ${username} was deleted.` });
  if (showReplaced(user)) return;
  showToast({
    title: `${username} has submitted another payment proof.`,
    description: "Nothing was accepted.",
    action: { label: SHOW_NEW_PROOF, run: () => openProof(user) },
  });
}

export const SHOW_NEW_PROOF = "Show the new proof";

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
