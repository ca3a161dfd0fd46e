import type { ReactNode } from "react";

/** The place of strips, above the bottom edge: there they never move the page, nor cover its heading. */
export const Strips = ({ children }: { children: ReactNode }) => (
  <div className="fixed inset-x-3 bottom-(--toast-bottom) z-10 mx-auto w-fit max-sm:w-auto">
    {children}
  </div>
);

/** One line about what concerns every page, announced to screen readers. */
export const Strip = ({ children }: { children: ReactNode }) => (
  <div role="status">
    {children && (
      <div className="mt-2 flex animate-enter items-center justify-center gap-3 rounded-card border border-line-strong bg-raised px-4 py-2.5 text-sm text-ink-muted shadow-float">
        {children}
      </div>
    )}
  </div>
);
