import { factsOfKind } from "../channel-kinds/channel-kinds.ts";
import type { EventData } from "./event-data.ts";
import type { EventText } from "./event-entry.ts";

type Disabled = EventData<"channel:disabled">;

const TEXTS: Record<Disabled["reason"], (disabled: Disabled) => string> = {
  gone({ kind }) {
    const { reason, remedy } = factsOfKind(kind).gone;
    return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. ${remedy}`;
  },
  unsubscribed: () => "You unsubscribed with the link in an email.",
  "password-changed": () => "Your password was changed. You can turn it on again if it is yours.",
};

export const CHANNEL_EVENTS = {
  "channel:disabled": {
    audience: "user",
    isNotified: true,
    isToasted: () => true,
    describe: (disabled: Disabled): EventText => ({
      title: `${factsOfKind(disabled.kind).name} was turned off`,
      text: TEXTS[disabled.reason](disabled),
      path: "/user-panel#notifications",
      button: "Open your channels",
    }),
  },
  "channel:failing": { audience: "user" },
  "channel-problems:seen": { audience: "user" },
} as const;
