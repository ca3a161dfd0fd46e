import { randomBytes } from "node:crypto";
import { webhook } from "@shared/contract/channel-kinds/webhook.ts";
import { assertCallable, type MakeTarget, secretsOf } from "./new-target.ts";
import { changedFormat } from "./webhook-format.ts";

export const webhookTarget: MakeTarget = async (deps, input) => {
  const { url, ...chosen } = webhook.input.parse(input);
  const format = changedFormat({}, chosen);
  const { host } = await assertCallable(deps, url, "url");
  const secret = newWebhookSecret();
  return {
    target: secretsOf(deps).seal({ kind: "webhook", url, secret, ...format }),
    label: host,
    notice: `Messages of your account will also be sent to a webhook. Its address is at ${host}.`,
    ...(format.format === "standard" && { shown: { secret } }),
  };
};

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
