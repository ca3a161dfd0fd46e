import { useEffect } from "react";

/** Describes the screen to search engines and link previews; other screens go by the description of the page itself. */
export function usePageDescription(description: string): void {
  useEffect(() => {
    const meta = document.querySelector('meta[name="description"]');
    const before = meta?.getAttribute("content");
    if (!meta || !before) return;
    meta.setAttribute("content", description);
    return () => meta.setAttribute("content", before);
  }, [description]);
}
