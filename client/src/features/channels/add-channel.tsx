import { type ChannelKind, factsOfKind } from "@shared/contract/channel-kinds/channel-kinds.ts";
import type { Channel, CreatedChannel } from "@shared/contract/channels.ts";
import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { LoaderCircle } from "lucide-react";
import { useState } from "react";
import { hasCode } from "../../lib/api/errors.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { TextLink } from "../../ui/button.tsx";
import { refetchChannels } from "./api.ts";
import { CHANNEL_KINDS } from "./kinds/channel-kinds.ts";

interface AddChannelProps {
  channels: readonly Channel[];
  /** The kinds that the service is set up for. */
  offered: readonly ChannelKind[];
  onCreated(channel: CreatedChannel): void;
}

const isKind = (name: string): name is ChannelKind => Object.hasOwn(CHANNEL_KINDS, name);

export function AddChannel({ channels, offered, onCreated }: AddChannelProps) {
  const [opened, setOpened] = useState<ChannelKind | null>(null);
  const add = useMutation({
    mutationFn: async (kind: ChannelKind) => {
      const created = await CHANNEL_KINDS[kind].add?.();
      if (created) onCreated(created);
    },
    // Another tab may have been faster.
    onError: () => void refetchChannels(),
  });
  const choose = (kind: ChannelKind) => {
    const { AddForm } = CHANNEL_KINDS[kind];
    add.reset();
    setOpened(AddForm && kind !== opened ? kind : null);
    if (!AddForm) add.mutate(kind);
  };
  const AddForm = opened && CHANNEL_KINDS[opened].AddForm;
  return (
    <div className="flex flex-col gap-4">
      <h4 className="text-sm font-medium text-ink-muted">Add a channel</h4>
      <ul className="grid gap-3 sm:grid-cols-2">
        {Object.keys(CHANNEL_KINDS)
          .filter(isKind)
          .filter((kind) => offered.includes(kind))
          .map((kind) => (
            <OfferItem
              key={kind}
              kind={kind}
              channels={channels}
              add={add}
              isOpen={kind === opened}
              onChoose={() => choose(kind)}
            />
          ))}
      </ul>
      <AddError error={add.error} />
      {AddForm && (
        <AddForm
          key={opened}
          onCreated={(channel) => {
            setOpened(null);
            onCreated(channel);
          }}
        />
      )}
    </div>
  );
}

interface OfferItemProps {
  kind: ChannelKind;
  channels: readonly Channel[];
  add: Pick<UseMutationResult<void, Error, ChannelKind>, "isPending" | "variables">;
  isOpen: boolean;
  onChoose(): void;
}

function OfferItem({ kind, channels, add, isOpen, onChoose }: OfferItemProps) {
  const { Icon, AddForm, useOffer } = CHANNEL_KINDS[kind];
  const offer = useOffer(channels);
  if (!offer) return null;
  return (
    <li>
      <button
        type="button"
        disabled={offer.isPossible === false || add.isPending}
        aria-expanded={AddForm ? isOpen : undefined}
        onClick={onChoose}
        className="flex h-full w-full items-start gap-3 rounded-control border border-line-strong bg-raised px-4 py-3 text-left transition-colors hover:not-disabled:border-ink-faint hover:not-disabled:bg-line disabled:opacity-70"
      >
        {add.isPending && add.variables === kind ? (
          <LoaderCircle aria-hidden className="mt-0.5 size-5 shrink-0 animate-spin" />
        ) : (
          <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" strokeWidth={1.75} />
        )}
        <span className="min-w-0">
          <span className="block text-sm font-medium">{factsOfKind(kind).name}</span>{" "}
          <span className="mt-0.5 block text-sm text-ink-muted wrap-anywhere">{offer.text}</span>
        </span>
      </button>
    </li>
  );
}

function AddError({ error }: { error: Error | null }) {
  if (!hasCode(error, "email-not-verified")) return <ErrorAlert message={error?.message} />;
  return (
    <Alert tone="warning" role="alert" title="Your email address is not verified">
      Messages are sent to verified addresses only.{" "}
      <TextLink to="#email">Verify your email address</TextLink>
    </Alert>
  );
}
