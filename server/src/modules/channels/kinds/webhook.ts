import { randomBytes } from "node:crypto";
import { webhook } from "@shared/contract/channel-kinds/webhook.ts";
import { assertCallable, type MakeTarget, secretsOf } from "./new-target.ts";

export const webhookTarget: MakeTarget = async (deps, input) => {
  const { url } = webhook.input.parse(input);
  const { host } = await assertCallable(deps, url, "url");
  const secret = newWebhookSecret();
  return {
    target: secretsOf(deps).seal({ kind: "webhook", url, secret }),
    label: host,
    notice: `Messages of your account will also be sent to a webhook. Its address is at ${host}.`,
    shown: { secret },
  };
};

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
