import type { ReactNode } from "react";

/** Says where data comes from that is not live. */
export function DataLabel({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-md border border-wait/35 px-1.5 py-0.5 text-xs text-wait">
      {children}
    </span>
  );
}
