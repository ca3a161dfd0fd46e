import type { ReactNode } from "react";

/** The place of strips: over the head of the page, on phones above the bottom edge. They never move the page. */
export const Strips = ({ children }: { children: ReactNode }) => (
  <div className="relative z-10 max-sm:fixed max-sm:inset-x-3 max-sm:bottom-(--toast-bottom)">
    {children}
  </div>
);

/** One line about what concerns every page, announced to screen readers. */
export const Strip = ({ children }: { children: ReactNode }) => (
  <div role="status" className="sm:h-0">
    {children && (
      <div className="flex animate-enter items-center justify-center gap-3 border-line bg-raised px-4 py-1.5 text-sm text-ink-muted max-sm:mt-2 max-sm:rounded-card max-sm:border max-sm:py-2.5 max-sm:shadow-float sm:border-b">
        {children}
      </div>
    )}
  </div>
);
