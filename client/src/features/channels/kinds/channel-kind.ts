import type { ChannelKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { Channel, CreatedChannel, RotatedSecret } from "@shared/contract/channels.ts";
import type { LucideIcon } from "lucide-react";
import type { ComponentType } from "react";

/** How a kind of channel is added and shown. */
export interface ClientChannelKind {
  Icon: LucideIcon;
  /** Below its name, where channels are added; null if the user cannot have one more. */
  useOffer(channels: readonly Channel[]): Offer | null;
  /** Asks for what is needed to add it. Without it, `add` adds it at once. */
  AddForm?: ComponentType<{ onCreated(channel: CreatedChannel): void }>;
  add?(): Promise<CreatedChannel>;
  /** Between the heading of a channel and its buttons: what is left to do, or is shown once. */
  Notice?: ComponentType<NoticeProps>;
  /** Below the settings that all channels have. */
  Settings?: ComponentType<SettingsProps>;
  /** Says more about a channel, beside the number of its events. */
  useFact?(channel: Channel): string | null;
  remove?(channel: Channel): Promise<void>;
}

export interface Offer {
  text: string;
  isPossible?: boolean;
}

/** Of a channel that was just added or changed. It is not shown again. */
export type ShownOnce = Pick<CreatedChannel, "link"> & Partial<RotatedSecret>;

export interface NoticeProps {
  channel: Channel;
  shown: ShownOnce;
  onShown(channel: Pick<Channel, "id">, shown: ShownOnce): void;
}

export interface SettingsProps {
  channel: Channel;
  onShown(shown: ShownOnce): void;
}

export const has = (channels: readonly Channel[], wanted: ChannelKind): boolean =>
  channels.some(({ kind }) => kind === wanted);
