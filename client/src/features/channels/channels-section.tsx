import { type Channel, type CreatedChannel, MAX_CHANNELS } from "@shared/contract/channels.ts";
import { useEffect, useRef, useState } from "react";
import { Alert } from "../../ui/alert.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { QueryView } from "../../ui/load-error.tsx";
import { AddChannel } from "./add-channel.tsx";
import { useChannels } from "./api.ts";
import { ChannelItem } from "./channel-item.tsx";
import { OpenAppCard } from "./open-app-card.tsx";
import { QuietHoursCard } from "./quiet-hours-card.tsx";

const ID = "notifications";

/** Where and when the user is notified. */
export function ChannelsSection() {
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The address may have been opened before this screen was loaded.
    if (window.location.hash === `#${ID}`) section.current?.scrollIntoView();
  }, []);
  return (
    <section
      ref={section}
      id={ID}
      aria-labelledby={`${ID}-title`}
      className="mt-4 flex scroll-mt-24 flex-col gap-5"
    >
      <div>
        <h2 id={`${ID}-title`} className="text-xl font-semibold tracking-tight">
          Notifications
        </h2>
        <p className="mt-1 text-ink-muted text-pretty">
          Channels reach you anywhere. Open tabs of the app notify you by themselves.
        </p>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <ChannelsCard />
        <div className="flex flex-col gap-6">
          <OpenAppCard />
          <QuietHoursCard />
        </div>
      </div>
    </section>
  );
}

function ChannelsCard() {
  return (
    <Card>
      <div className="p-6">
        <h3 className="text-lg font-semibold tracking-tight">When the app is closed</h3>
        <p className="mt-1 text-sm leading-relaxed text-ink-muted text-pretty">
          Each channel gets the events you choose, also while no tab is open.
        </p>
      </div>
      <QueryView
        query={useChannels()}
        failed="Failed to load your channels."
        skeleton={
          <div className="border-t border-line p-6">
            <Skeleton className="h-64" />
          </div>
        }
      >
        {({ channels }) => <Channels channels={channels} />}
      </QueryView>
    </Card>
  );
}

function Channels({ channels }: { channels: Channel[] }) {
  /** Their secrets and links, which are not shown again. */
  const [created, setCreated] = useState<Record<string, CreatedChannel>>({});
  const add = (channel: CreatedChannel) => setCreated({ ...created, [channel.id]: channel });
  return (
    <>
      {channels.length > 0 && (
        <ul aria-label="Your channels" className="divide-y divide-line border-t border-line">
          {channels.map((channel) => (
            <li key={channel.id}>
              <ChannelItem channel={channel} created={created[channel.id]} onCreated={add} />
            </li>
          ))}
        </ul>
      )}
      <div className="border-t border-line p-6">
        {channels.length >= MAX_CHANNELS ? (
          <Alert tone="info">
            You have {MAX_CHANNELS} channels, the most that are possible. Delete one to add another.
          </Alert>
        ) : (
          <AddChannel channels={channels} onCreated={add} />
        )}
      </div>
    </>
  );
}
