import type { ReactNode } from "react";
import { usePageTitle } from "./use-page-title.ts";

/** Title of a screen, in the page and in the browser's tab. */
export function PageHeading({ title, children }: { title: string; children?: ReactNode }) {
  usePageTitle(title);
  return (
    <div className="flex flex-col gap-1.5">
      <h1 className="text-2xl font-semibold tracking-tight sm:text-3xl">{title}</h1>
      {children && <div className="max-w-2xl text-ink-muted text-pretty">{children}</div>}
    </div>
  );
}
