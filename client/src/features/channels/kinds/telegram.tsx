import { TELEGRAM_LINK_MINUTES } from "@shared/contract/channel-kinds/telegram.ts";
import { useMutation } from "@tanstack/react-query";
import { ExternalLink, Send } from "lucide-react";
import { renderSVG } from "uqr";
import { formatElapsed } from "../../../lib/format.ts";
import { useNow } from "../../../lib/use-now.ts";
import { ErrorAlert } from "../../../ui/alert.tsx";
import { Button, buttonClass, linkClass } from "../../../ui/button.tsx";
import { addChannel, joinTelegramChannel, linkExpiry, removeChannel } from "../api.ts";
import { type ClientChannelKind, has, type NoticeProps } from "./channel-kind.ts";

export const telegram: ClientChannelKind = {
  Icon: Send,
  useOffer: (channels) => (has(channels, "telegram") ? null : { text: "A message from our bot" }),
  add: () => addChannel({ kind: "telegram" }),
  Notice: TelegramLink,
};

/** How to finish adding Telegram. */
function TelegramLink({ channel, shown: { link }, onShown }: NoticeProps) {
  const leftMs = linkExpiry(channel) - useNow(link !== undefined);
  if (channel.can_join) return <JoinChannel />;
  if (channel.linked !== false) return null;
  if (!link || leftMs <= 0) return <NewLink channel={channel} onShown={onShown} />;
  return (
    <div className="flex animate-enter flex-col gap-5 rounded-control bg-raised p-5 sm:flex-row sm:items-center">
      {/* An image shows the SVG without running anything in it. */}
      <img
        src={`data:image/svg+xml;utf8,${encodeURIComponent(renderSVG(link))}`}
        alt="QR code with the link to Telegram"
        className="size-36 shrink-0 self-center rounded-lg bg-white p-1.5"
      />
      <div className="flex flex-col items-start gap-3">
        <p className="text-sm leading-relaxed text-ink-muted text-pretty">
          Scan the code with your phone, or open the link here. Then press{" "}
          <strong className="font-medium text-ink">Start</strong> in Telegram.
        </p>
        <a href={link} target="_blank" rel="noreferrer" className={buttonClass()}>
          Open Telegram
          <ExternalLink aria-hidden className="size-4" />
        </a>
        <p className="figures text-sm text-ink-faint">
          Expires in <span role="timer">{formatElapsed(leftMs)}</span>
        </p>
      </div>
    </div>
  );
}

/** A link to the seller's private channel, which admits this user only. */
function JoinChannel() {
  const join = useMutation({ mutationFn: joinTelegramChannel });
  return (
    <div className="flex flex-col items-start gap-3">
      <ErrorAlert message={join.error?.message} className="self-stretch" />
      {join.data ? (
        <p className="text-sm text-ink-muted text-pretty">
          <a href={join.data.invite_link} target="_blank" rel="noreferrer" className={linkClass}>
            Open the channel in Telegram
          </a>{" "}
          and ask to join. You are let in within seconds. The link works for you only.
        </p>
      ) : (
        <Button size="sm" variant="secondary" busy={join.isPending} onClick={() => join.mutate()}>
          Join the channel
        </Button>
      )}
    </div>
  );
}

function NewLink({ channel, onShown }: Omit<NoticeProps, "shown">) {
  const renew = useMutation({
    mutationFn: async () => {
      await removeChannel(channel);
      const added = await addChannel({ kind: "telegram" });
      onShown(added, added);
    },
  });
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-sm leading-relaxed text-ink-muted text-pretty">
        A link to Telegram works for {TELEGRAM_LINK_MINUTES} minutes and is shown once.
      </p>
      <ErrorAlert message={renew.error?.message} className="self-stretch" />
      <Button size="sm" variant="secondary" busy={renew.isPending} onClick={() => renew.mutate()}>
        Get a new link
      </Button>
    </div>
  );
}
