import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";

const document = readFileSync(new URL("../../../../../docs/webhooks.md", import.meta.url), "utf8");
const sampleOf = (field: string): string =>
  new RegExp(`^${field} +(.*)$`, "m").exec(document)?.[1] ?? "";

it("the sample in docs/webhooks.md has a valid signature", () => {
  const at = new Date(Number(sampleOf("webhook-timestamp")) * 1_000);
  const signed = new Webhook(sampleOf("secret")).sign(sampleOf("webhook-id"), at, sampleOf("body"));
  expect(signed).toBe(sampleOf("webhook-signature"));
});
