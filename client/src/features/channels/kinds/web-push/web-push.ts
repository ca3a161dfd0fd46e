import { BellRing } from "lucide-react";
import { useNotificationSettings } from "../../../../lib/notifications/notification-settings.ts";
import type { ClientChannelKind, Offer } from "../channel-kind.ts";
import { addPushChannel, removePushChannel, supportsPush, usePushEndpoints } from "./push.ts";

export const webPush: ClientChannelKind = {
  Icon: BellRing,
  useOffer(channels) {
    const permission = useNotificationSettings((settings) => settings.permission);
    const endpoints = usePushEndpoints((state) => state.endpoints);
    const isHere = channels.some(({ id }) => endpoints[id] !== undefined);
    return isHere ? null : pushOffer(permission);
  },
  add: addPushChannel,
  useFact({ id }) {
    const isHere = usePushEndpoints((state) => state.endpoints[id] !== undefined);
    return isHere ? "this browser" : null;
  },
  remove: ({ id }) => removePushChannel(id),
};

function pushOffer(permission: NotificationPermission | "unsupported"): Offer {
  if (permission === "denied") {
    return { text: "Blocked. Allow it in your browser's site settings.", isPossible: false };
  }
  if (supportsPush()) return { text: "On this device, even with no tab open" };
  const isApple = /iPhone|iPad/.test(navigator.userAgent);
  const text = isApple
    ? "First add the app to your home screen."
    : "Not supported in this browser.";
  return { text, isPossible: false };
}
