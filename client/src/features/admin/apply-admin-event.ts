import type { UserCard } from "@shared/contract/account.ts";
import type { UserList } from "@shared/contract/admin.ts";
import type { ChartImage, ChartImageList } from "@shared/contract/files.ts";
import { useEffect } from "react";
import { patchQueries, refetch } from "../../lib/query-client.ts";
import { type LiveEvent, onLiveEvent } from "../../lib/realtime/events.ts";
import { adminKeys } from "./api.ts";

export function useAdminSync(): void {
  useEffect(() => onLiveEvent(follow), []);
}

function follow(event: LiveEvent): void {
  if (event.stream !== "admins") return;
  patchQueries<UserList>(adminKeys.users, ({ users }) => ({ users: applyToUsers(users, event) }));
  patchQueries<ChartImageList>(adminKeys.images, ({ images }) => ({
    images: applyToImages(images, event),
  }));
  if (event.name === "payment-details:updated") patchQueries(adminKeys.payment, () => event.data);
  if (event.name === "budget:reached") void refetch({ queryKey: adminKeys.usage });
  void refetch({ queryKey: adminKeys.securityLog });
}

export function applyToUsers(users: UserCard[], event: LiveEvent): UserCard[] {
  switch (event.name) {
    case "user:registered":
    case "user:updated":
      return withUser(users, event.data);
    case "user:deleted":
      return users.filter(({ username }) => username !== event.data.username);
    case "proof:submitted": {
      const { username, ...proof } = event.data;
      return users.map((user) =>
        user.username === username ? { ...user, payment_proof: proof } : user,
      );
    }
    default:
      return users;
  }
}

function withUser(users: UserCard[], card: UserCard): UserCard[] {
  const isKnown = users.some(({ username }) => username === card.username);
  if (isKnown) return users.map((user) => (user.username === card.username ? card : user));
  return [card, ...users].sort((a, b) => b.created_at.localeCompare(a.created_at));
}

export function applyToImages(images: ChartImage[], event: LiveEvent): ChartImage[] {
  if (event.name === "chart-image:deleted") {
    return images.filter(({ filename }) => filename !== event.data.filename);
  }
  if (event.name !== "chart-image:added") return images;
  const others = images.filter(({ filename }) => filename !== event.data.filename);
  return [event.data, ...others];
}
