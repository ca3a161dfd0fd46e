import type { UserCard } from "@shared/contract/account.ts";

export type UserFilter = "all" | "pending" | "proof";

const passes: Record<UserFilter, (user: UserCard) => boolean> = {
  all: () => true,
  pending: (user) => !user.approved,
  proof: (user) => user.payment_proof !== null,
};

/** The users of one filter whose name, e-mail or sender name contains `search`, without regard to case. */
export function filterUsers(
  users: UserCard[],
  { filter, search }: { filter: UserFilter; search: string },
): UserCard[] {
  const wanted = search.trim().toLowerCase();
  return users.filter((user) => passes[filter](user) && textOf(user).includes(wanted));
}

const textOf = ({ username, email, payment_proof }: UserCard): string =>
  `${username}\n${email}\n${payment_proof?.sender_name ?? ""}`.toLowerCase();

/** How many users each filter shows. */
export const countUsers = (users: UserCard[]): Record<UserFilter, number> => ({
  all: users.length,
  pending: users.filter(passes.pending).length,
  proof: users.filter(passes.proof).length,
});
