import type { Me } from "@shared/contract/account.ts";
import { afterEach, expect, test } from "vitest";
import { queryClient } from "../lib/query-client.ts";
import { type LiveEvent, parseLiveEvent } from "../lib/realtime/events.ts";
import { makeMe } from "../testing/factories.ts";
import { applyAccountEvent, meQuery } from "./me.ts";

afterEach(() => queryClient.clear());

const at = "2025-11-21T12:00:00.000Z";
const me = makeMe({ approved: false, image_credits: 3, stream_positions: { user: 10 } });

function event(name: string, seq: number, data: object): LiveEvent {
  const parsed = parseLiveEvent(name, { stream: "user", seq, at, data });
  if (!parsed) throw new Error(`not an event of the contract: ${name}`);
  return parsed;
}

/** The account after events that arrive once `before` has been read. */
function after(before: Me, ...events: LiveEvent[]): Me | undefined {
  queryClient.setQueryData(meQuery.queryKey, before);
  events.forEach(applyAccountEvent);
  return queryClient.getQueryData(meQuery.queryKey);
}

const accountChange = {
  approved: true,
  role: "user",
  allow_image_upload: true,
  image_credits: 5,
  reason: "approved",
} as const;

test("an account change keeps the other fields", () => {
  const account = after(me, event("account:updated", 11, accountChange));
  expect(account).toMatchObject({
    username: "ann",
    approved: true,
    image_credits: 5,
    stream_positions: { user: 11 },
  });
  expect(account).not.toHaveProperty("reason");
});

test("a verified email address is applied", () => {
  const change = { ...accountChange, reason: "email-verified" };
  const account = after({ ...me, email_verified: false }, event("account:updated", 11, change));
  expect(account?.email_verified).toBe(true);
});

test("a deleted proof is removed from the account", () => {
  const payment_proof = { id: "1", filename: "p", url: "/p", sender_name: "Ann", submitted_at: at };
  expect(after({ ...me, payment_proof }, event("proof:deleted", 11, {}))?.payment_proof).toBeNull();
});

test("an account change that the account already contains does not set it back", () => {
  expect(after(me, event("account:updated", 10, accountChange))?.approved).toBe(false);
});
