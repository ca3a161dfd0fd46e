import { useEffect } from "react";
import { pageHead } from "../lib/page-head.ts";

/** Describes the screen to search engines and link previews; other screens go by the description of the page itself. */
export function usePageDescription(description: string): void {
  if (import.meta.env.SSR) pageHead.description = description;
  useEffect(() => {
    const meta = document.querySelector<HTMLMetaElement>('meta[name="description"]');
    if (!meta) return;
    // A pre-rendered screen comes with its own, and has the common one beside it.
    meta.dataset.common ??= meta.content;
    meta.content = description;
    return () => {
      meta.content = meta.dataset.common ?? "";
    };
  }, [description]);
}
