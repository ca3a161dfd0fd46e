import { expect, test } from "vitest";
import { channelKindSchema } from "../channel-kinds/channel-kinds.ts";
import { notificationSchema } from "../events.ts";
import { accountReasonSchema, eventSchemas } from "./event-data.ts";
import type { Wording } from "./event-entry.ts";
import { CHANNEL_ENTRIES, describeEvent, EVENTS, isToasted } from "./event-table.ts";

const wording: Wording = { price: String, usd: (value) => `$${value}`, unknownSignal: "a signal" };
const say = (name: string, data: object) => describeEvent({ name, data }, wording);

test("every event of the contract is in the table, with the stream that has it", () => {
  expect(Object.keys(EVENTS).toSorted()).toEqual(Object.keys(eventSchemas).toSorted());
  for (const [name, { audience }] of Object.entries(EVENTS))
    expect(audience, name).toMatch(/user|admins/);
});

test("the names of events in channels are those of the contract", () => {
  expect(CHANNEL_ENTRIES.map(({ name, event }) => [name, event])).toEqual([
    ["signal:completed", "signal.completed"],
    ["signal:filled", "signal.filled"],
    ["signal:entry-left", "signal.entry_left"],
    ["signal:outcome", "signal.outcome"],
    ["account:updated", "account.updated"],
    ["subscription:expiring", "subscription.expiring"],
    ["proof:submitted", "proof.submitted"],
    ["user:registered", "user.registered"],
    ["budget:reached", "budget.reached"],
  ]);
});

test("what channels and notifications get says something, even if all of its data is cut off", () => {
  for (const [name, entry] of Object.entries(EVENTS)) {
    const isTold = "channel" in entry || "isNotified" in entry;
    expect("describe" in entry, name).toBe(isTold);
  }
  for (const { name } of CHANNEL_ENTRIES) {
    expect(say(name, {}), name).toMatchObject({
      title: expect.stringMatching(/^[A-Z0-9][^.]+$/),
      path: expect.stringMatching(/^\//),
      button: expect.stringMatching(/^[A-Z]/),
    });
  }
});

test.each(accountReasonSchema.options)(
  "an account that was %s has a title and a sentence",
  (reason) => {
    const data = { role: "user", image_credits: 2, allow_image_upload: true, reason };
    expect(say("account:updated", data)).toMatchObject({
      title: expect.stringMatching(/^[A-Z][^.]+[a-z]$/),
      text: expect.stringMatching(/^[A-Z].+\.$/),
    });
  },
);

test.each(channelKindSchema.options)(
  "a %s channel that was turned off says why and what to do",
  (kind) => {
    const text = say("channel:disabled", { channel_id: "1", kind, reason: "gone" })?.text;
    expect(text).toMatch(/^[A-Z][^.]+\. [A-Z][^.]+\.$/);
  },
);

test("events that only update what is shown say nothing", () => {
  expect(say("signal:queued", {})).toBeNull();
  expect(say("of:the-future", {})).toBeNull();
  expect(isToasted({ name: "signal:queued", data: {} })).toBe(false);
});

test("toasts show changes of the access, but none that a user has made", () => {
  const toasted = accountReasonSchema.options.filter((reason) =>
    isToasted({ name: "account:updated", data: { reason } }),
  );
  expect(toasted).toEqual([
    "approved",
    "revoked",
    "proof-rejected",
    "subscription-started",
    "subscription-renewed",
    "subscription-grace",
    "subscription-ended",
  ]);
});

test("a notification is read with the data of its own name only", () => {
  const envelope = { stream: "admins", seq: 1, at: "2026-11-21T10:00:00.000Z" };
  const registered = { ...envelope, name: "user:registered", data: { username: "ann" } };
  expect(notificationSchema.parse(registered)).toEqual(registered);
  expect(notificationSchema.safeParse({ ...registered, name: "proof:submitted" }).success).toBe(
    false,
  );
  expect(notificationSchema.safeParse({ ...registered, name: "user:updated" }).success).toBe(false);
});
