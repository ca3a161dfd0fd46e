import type { ReactNode } from "react";
import { Skeleton } from "../../ui/card.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { botFrameMessages as texts } from "./bot-frame-messages.ts";

/** From 64 rem on, form and result stand beside each other. */
export const botGridClass =
  "grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]";

interface BotFrameProps {
  /** Stands beside the heading. */
  aside?: ReactNode;
  /** Form and results; a skeleton stands in for them. */
  children?: ReactNode;
}

/** The bot's screen around what needs its code. */
export function BotFrame({ aside, children = <BotSkeleton /> }: BotFrameProps) {
  return (
    <div className="page flex flex-col gap-6 py-8 sm:py-10">
      <div className="flex items-start justify-between gap-4">
        <PageHeading title={texts.title}>{texts.lead}</PageHeading>
        {aside}
      </div>
      {children}
    </div>
  );
}

function BotSkeleton() {
  return (
    <div role="status" aria-label={texts.loading} className={botGridClass}>
      <Skeleton className="h-[34rem] rounded-card" />
      <Skeleton className="h-[34rem] rounded-card" />
    </div>
  );
}
