import type { AuditEntry } from "@shared/contract/admin.ts";
import { expect, test } from "vitest";
import { auditSentence } from "./audit-section.tsx";

const said = (entry: Partial<AuditEntry>) =>
  auditSentence({
    id: "1",
    actor: "admin",
    action: "account:updated",
    subject: "ann",
    details: {},
    at: "2025-11-21T12:00:00.000Z",
    ...entry,
  });

test("an account change is described by its reason", () => {
  expect(said({ details: { reason: "approved" } })).toBe("approved ann");
  expect(said({ details: { reason: "image-access", allow_image_upload: false } })).toBe(
    "blocked image upload for ann",
  );
});

test("granted credits are shown with their number and the balance", () => {
  const details = { reason: "credits-granted", credits: 1, image_credits: 4 };
  expect(said({ details })).toBe("granted 1 credit to ann, now 4");
  expect(said({ details: { ...details, credits: -3, image_credits: 0 } })).toBe(
    "took 3 credits from ann, now 0",
  );
});

test("deletions say what was deleted", () => {
  expect(said({ action: "history:cleared", details: { signals: 12 } })).toBe(
    "deleted 12 signals of ann",
  );
  expect(said({ action: "payment-details:updated", subject: null })).toBe(
    "changed the payment details",
  );
});

test("changes of the queue name the jobs", () => {
  const details = { action: "requeue", jobs: 2, names: "generate-signal" };
  expect(said({ action: "queue:changed", subject: null, details })).toBe(
    "queued again 2 jobs of the queue: generate-signal",
  );
});

test("an action of a newer server goes by its name", () => {
  expect(said({ action: "user:renamed" })).toBe("user:renamed ann");
  expect(said({ details: { reason: "promoted" } })).toBe("account:updated ann");
});
