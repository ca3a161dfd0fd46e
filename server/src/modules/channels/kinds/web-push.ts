import { webPush } from "@shared/contract/channel-kinds/web-push.ts";
import { assertCallable, type MakeTarget, notConfigured, secretsOf, sha256 } from "./new-target.ts";

export const pushTarget: MakeTarget = async (deps, input) => {
  if (!deps.settings.VAPID_PUBLIC_KEY) throw notConfigured(webPush.name);
  const { subscription } = webPush.input.parse(input);
  const { endpoint: url } = subscription;
  await assertCallable(deps, url, "subscription.endpoint");
  return {
    target: secretsOf(deps).seal({ kind: "web-push", subscription }),
    label: "Browser",
    uniqueKey: sha256(url),
    notice: "Messages of your account will also be sent to a browser.",
  };
};
