import type { Me } from "@shared/contract/account.ts";
import { expect, test } from "vitest";
import { type LiveEvent, parseLiveEvent } from "./events.ts";
import { applyEvent, initialLiveState, type LiveState, withAccount } from "./store.ts";

const at = "2025-11-21T12:00:00.000Z";
const me: Me = {
  username: "ann",
  email: "ann@example.com",
  email_verified: true,
  role: "user",
  approved: false,
  allow_image_upload: false,
  image_credits: 3,
  payment_proof: null,
  stream_positions: { user: 10 },
};

function event(name: string, seq: number, data: object): LiveEvent {
  const parsed = parseLiveEvent(name, { stream: "user", seq, at, data });
  if (!parsed) throw new Error(`not an event of the contract: ${name}`);
  return parsed;
}

const after = (...events: LiveEvent[]): LiveState =>
  events.reduce(applyEvent, withAccount(initialLiveState, me));

const accountChange = {
  approved: true,
  role: "user",
  allow_image_upload: true,
  image_credits: 5,
  reason: "approved",
} as const;

test("an account change keeps the other fields", () => {
  const { account } = after(event("account:updated", 11, accountChange));
  expect(account).toMatchObject({ username: "ann", approved: true, image_credits: 5, asOfSeq: 11 });
  expect(account).not.toHaveProperty("reason");
});

test("a verified email address is applied", () => {
  const unconfirmed = withAccount(initialLiveState, { ...me, email_verified: false });
  const change = { ...accountChange, reason: "email-verified" };
  const { account } = applyEvent(unconfirmed, event("account:updated", 11, change));
  expect(account?.email_verified).toBe(true);
});

test("an account change that the account already contains does not set it back", () => {
  expect(after(event("account:updated", 10, accountChange)).account?.approved).toBe(false);
});
