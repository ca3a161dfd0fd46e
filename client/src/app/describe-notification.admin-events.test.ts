import { expect, test } from "vitest";
import { parseLiveEvent } from "../lib/realtime/events.ts";
import { describeNotification } from "./describe-notification.ts";

const received = (name: string, data: object) => {
  const event = parseLiveEvent(name, {
    stream: "admins",
    seq: 1,
    at: "2026-03-18T12:00:00.000Z",
    data,
  });
  if (!event) throw new Error("The event does not fit the contract.");
  return event;
};
const budget = (percent: number) => ({ percent, spent_usd: 8.014, budget_usd: 10 });

test.each([
  [80, "80% of the AI budget is spent"],
  [100, "AI budget used up"],
])("a budget that has reached %d percent is shown with its amounts", (percent, title) => {
  expect(describeNotification(received("budget:reached", budget(percent)))).toMatchObject({
    title,
    text: "$8.01 of $10.00 today (UTC).",
  });
});

test("a budget at any other percent is no event of the contract", () => {
  expect(() => received("budget:reached", budget(90))).toThrow("contract");
});

test("a payment proof is shown with its sender", () => {
  const proof = {
    username: "ann",
    sender_name: "Ann B.",
    filename: "a.webp",
    url: "http://localhost/a.webp",
    submitted_at: "2026-03-18T12:00:00.000Z",
  };
  expect(describeNotification(received("proof:submitted", proof))).toMatchObject({
    title: "New payment proof",
    text: "ann, sent by Ann B.",
  });
});

test("a deleted user is not shown", () => {
  expect(describeNotification(received("user:deleted", { username: "ann" }))).toBeNull();
});
