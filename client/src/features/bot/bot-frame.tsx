import type { ReactNode } from "react";
import { Skeleton } from "../../ui/card.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";

interface BotFrameProps {
  aside?: ReactNode;
  /** Form and results; without them, a skeleton is shown. */
  children?: ReactNode;
}

/** The part of the bot page that is shown before its code has loaded. */
export function BotFrame({ aside, children = <BotSkeleton /> }: BotFrameProps) {
  return (
    <div className="page bot-page">
      <div className="flex items-start justify-between gap-4">
        <PageHeading title="Signal bot">
          Pick a market and a timeframe. The signal is sized to your amount and risk.
        </PageHeading>
        {aside}
      </div>
      {children}
    </div>
  );
}

function BotSkeleton() {
  return (
    <div role="status" aria-label="Loading the signal bot" className="bot-grid">
      <Skeleton className="h-[34rem] rounded-card" count={3} />
    </div>
  );
}
