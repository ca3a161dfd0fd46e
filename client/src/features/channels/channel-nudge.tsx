import { BellRing, X } from "lucide-react";
import { z } from "zod";
import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import { browserStorage } from "../../lib/session.ts";
import { TextLink } from "../../ui/button.tsx";
import { useChannels } from "./api.ts";

const nudgeSchema = z.object({ isDismissed: z.boolean() });
type NudgeState = z.infer<typeof nudgeSchema>;

const useNudge = create<NudgeState>()(
  persist((): NudgeState => ({ isDismissed: false }), {
    name: "channel-nudge",
    storage: createJSONStorage(browserStorage),
    merge: (stored, current) => nudgeSchema.safeParse(stored).data ?? current,
  }),
);

/** Tells users without a channel that there are some. */
export function ChannelNudge() {
  const isDismissed = useNudge((nudge) => nudge.isDismissed);
  return isDismissed ? null : <Nudge />;
}

function Nudge() {
  const { data } = useChannels();
  if (data?.channels.length !== 0) return null;
  return (
    <div className="flex animate-enter items-center gap-3 rounded-control border border-line px-4 py-3 text-sm">
      <BellRing aria-hidden className="size-5 shrink-0 text-accent" strokeWidth={1.75} />
      <p className="min-w-0 grow text-ink-muted text-pretty">
        Get signals when this tab is closed.{" "}
        <TextLink to="/user-panel#notifications">Add a channel</TextLink>
      </p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => useNudge.setState({ isDismissed: true })}
        className="rounded-lg p-1 text-ink-faint transition-colors hover:text-ink"
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}
