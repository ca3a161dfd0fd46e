import { discord as declared } from "@shared/contract/channel-kinds/discord.ts";
import { MessageCircle } from "lucide-react";
import { parseForm } from "../../../lib/api/forms.ts";
import { addChannel } from "../api.ts";
import type { ClientChannelKind } from "./channel-kind.ts";
import { UrlForm } from "./url-form.tsx";

export const discord: ClientChannelKind = {
  Icon: MessageCircle,
  useOffer: () => ({ text: "To a channel of a server" }),
  AddForm: ({ onCreated }) => (
    <UrlForm
      title="Add Discord"
      placeholder="https://discord.com/api/webhooks/…"
      hint="In Discord: Edit Channel, Integrations, Webhooks, New Webhook, Copy Webhook URL. Anyone who has it can post there, so it is not shown again."
      submit="Add Discord"
      add={(form) => addChannel(parseForm(declared.input, { ...form, kind: "discord" }))}
      onCreated={onCreated}
    />
  ),
};
