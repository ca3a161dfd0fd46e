import type { UserCard } from "@shared/contract/account.ts";
import type { ChartImage } from "@shared/contract/files.ts";
import type { LiveEvent } from "../../lib/live/live-event.ts";

/** The users after one event, newest registration first. */
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

/** The chart images after one event, newest first. */
export function applyToImages(images: ChartImage[], event: LiveEvent): ChartImage[] {
  if (event.name === "chart-image:deleted") {
    return images.filter(({ filename }) => filename !== event.data.filename);
  }
  if (event.name !== "chart-image:added") return images;
  const others = images.filter(({ filename }) => filename !== event.data.filename);
  return [event.data, ...others];
}
