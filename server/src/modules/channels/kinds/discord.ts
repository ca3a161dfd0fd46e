import { discord } from "@shared/contract/channel-kinds/discord.ts";
import { assertCallable, invalidField, type MakeTarget, secretsOf, sha256 } from "./new-target.ts";

const HOST = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;
/** Id and token, without what other services' formats append. */
const PATH = /^\/api(?:\/v\d+)?\/webhooks\/(\d{1,20})\/[\w-]{1,200}\/?$/;

/** In development, a fake of Discord may have any address. */
export const discordTarget: MakeTarget = async (deps, input) => {
  const { url: address } = discord.input.parse(input);
  const url = URL.canParse(address) ? new URL(address) : null;
  const [, id] = (url && PATH.exec(url.pathname)) ?? [];
  const mayBeFake = deps.settings.WEBHOOK_ALLOW_PRIVATE === "on";
  if (!url || !id || !(mayBeFake || HOST.test(url.host))) {
    const message = "Enter the webhook URL of Discord: https://discord.com/api/webhooks/…";
    throw invalidField("url", message);
  }
  const thread = url.searchParams.get("thread_id");
  url.search = thread === null ? "" : `?${new URLSearchParams({ thread_id: thread })}`;
  url.hash = "";
  await assertCallable(deps, url.href, "url");
  return {
    target: secretsOf(deps).seal({ kind: "discord", url: url.href }),
    label: `${discord.name} …${id.slice(-4)}`,
    uniqueKey: sha256(`discord ${id} ${thread ?? ""}`),
    notice: `Messages of your account will also be sent to a channel in Discord, by the webhook ${id}.`,
  };
};
