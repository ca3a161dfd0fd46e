import { Mail } from "lucide-react";
import { useMe } from "../../../domain/me.ts";
import { addChannel } from "../api.ts";
import { type ClientChannelKind, has } from "./channel-kind.ts";

export const email: ClientChannelKind = {
  Icon: Mail,
  useOffer(channels) {
    const address = useMe()?.email ?? "your address";
    return has(channels, "email") ? null : { text: `To ${address}` };
  },
  add: () => addChannel({ kind: "email" }),
};
