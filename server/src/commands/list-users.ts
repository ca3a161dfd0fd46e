import type { UserCard } from "@shared/contract/account.ts";
import type { UserList } from "@shared/contract/admin.ts";
import { findProofsOf } from "@shared/node/files/payment-proofs.ts";
import { presentUserCard } from "@shared/node/present-user-card.ts";
import { createSignPath, type SignPath, withSignedUrl } from "../files/sign-files.ts";
import type { ServerDeps } from "../server-deps.ts";

/** What a card is made of: the rest of 50,000 users would only be read in vain. */
const CARD_FIELDS = {
  ...{ username: 1, email: 1, emailVerified: 1, role: 1, approved: 1 },
  ...{ allowImageUpload: 1, imageCredits: 1, createdAt: 1 },
} as const;

/** All users, newest registration first, with their payment proofs at addresses that can be opened. */
export async function listUsers(
  deps: Pick<ServerDeps, "database" | "settings" | "now">,
): Promise<UserList> {
  const { database } = deps;
  const users = await database.users
    .find()
    .select(CARD_FIELDS)
    .sort({ createdAt: -1, _id: -1 })
    .lean();
  const ids = users.map((user) => user._id);
  const proofs = await findProofsOf(database, ids);
  const signPath = createSignPath(deps);
  const cards = users.map((user) => presentUserCard(user, proofs.get(user._id.toString())));
  return { users: cards.map((card) => signProof(card, signPath)) };
}

function signProof(card: UserCard, signPath: SignPath): UserCard {
  const { payment_proof } = card;
  return { ...card, payment_proof: payment_proof && withSignedUrl(payment_proof, signPath) };
}
