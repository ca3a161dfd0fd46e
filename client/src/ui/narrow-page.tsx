import type { ReactNode } from "react";
import { Card } from "./card.tsx";
import { usePageTitle } from "./page-heading.tsx";

interface NarrowPageProps {
  title: string;
  lead?: string | undefined;
  className?: string;
  children?: ReactNode;
}

export function NarrowPage({ title, lead, className, children }: NarrowPageProps) {
  usePageTitle(title);
  return (
    <NarrowCard className={className}>
      <header className="flex flex-col gap-2">
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {lead && <p className="text-ink-muted text-pretty">{lead}</p>}
      </header>
      {children}
    </NarrowCard>
  );
}

/** The card alone of a page whose title stands in it or elsewhere. */
export const NarrowCard = ({
  children,
  ...look
}: {
  children: ReactNode;
  className?: string | undefined;
}) => (
  <div className="page flex justify-center py-10 sm:py-20">
    <Card className={`flex w-full max-w-md flex-col gap-6 p-6 sm:p-8 ${look.className ?? ""}`}>
      {children}
    </Card>
  </div>
);
