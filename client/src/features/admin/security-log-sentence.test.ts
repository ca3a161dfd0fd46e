import type { SecurityLogEntry } from "@shared/contract/security-log.ts";
import { expect, test } from "vitest";
import { securityLogSentence } from "./security-log-sentence.ts";

const said = (type: string, entry: Partial<SecurityLogEntry> = {}) =>
  securityLogSentence({
    id: "1",
    type,
    actor: "admin",
    user: "ann",
    details: {},
    at: "2026-11-21T12:00:00.000Z",
    address: null,
    device: null,
    request_id: null,
    ...entry,
  });

test.each([
  ["approval:changed", { approved: true }, "approved ann"],
  [
    "subscription:started",
    { plan: "pro", months: 1 },
    "started a subscription of ann: Pro, 1 month",
  ],
  [
    "subscription:renewed",
    { plan: "trader", months: 3 },
    "renewed the subscription of ann: Trader, 3 months",
  ],
  ["image-access:changed", { allowed: false }, "blocked image upload for ann"],
  ["credits:granted", { credits: 1, image_credits: 4 }, "granted 1 credit to ann, now 4"],
  ["credits:granted", { credits: -3, image_credits: 0 }, "took 3 credits from ann, now 0"],
  ["history:cleared", { signals: 12 }, "deleted 12 signals of ann"],
  ["role:changed", { role: "admin" }, "made ann an administrator, which ended their sessions"],
  ["session:ended", { reason: "revoked-session" }, "signed ann out everywhere"],
  ["file:read", { kind: "payment_proofs" }, "read a payment proof of ann"],
  ["chart-image:deleted", { images: 2 }, "deleted 2 chart images"],
  [
    "payment-details:changed",
    { field: "wise_details", before: "", after: "IBAN" },
    "changed wise_details of the payment details from nothing to “IBAN”",
  ],
  [
    "queue:changed",
    { action: "requeue", jobs: 2, names: "generate-signal" },
    "queued again 2 jobs of the queue: generate-signal",
  ],
])("%s with %j is described", (type, details, sentence) => {
  expect(said(type, { details })).toBe(sentence);
});

test("a failed sign-in says why, and whose name was used if a user has it", () => {
  const reason = (reason: string) => ({ actor: null, details: { reason } });
  expect(said("sign-in:failed", reason("invalid-password"))).toBe(
    "failed to log in as ann with a wrong password",
  );
  expect(said("sign-in:failed", { ...reason("unknown-user"), user: null })).toBe(
    "failed to log in with an unknown name",
  );
});

test("users who delete their own account differ from those whom an administrator deleted", () => {
  expect(said("user:deleted")).toBe("deleted the user ann");
  expect(said("user:deleted", { actor: "ann" })).toBe("deleted their account");
});

test("an event of a newer server goes by its name", () => {
  expect(said("user:renamed")).toBe("user:renamed ann");
  expect(said("toString", { user: null })).toBe("toString");
});
