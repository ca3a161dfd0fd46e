import { type ReactNode, useEffect } from "react";

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

const PRODUCT = "AI Trading Bot";

/** Names the screen in the browser's tab; the home page goes by the product's name alone. */
export function usePageTitle(title?: string): void {
  const whole = title ? `${title} · ${PRODUCT}` : PRODUCT;
  if (import.meta.env.SSR) pageHead.title = whole;
  useEffect(() => setPageTitle(whole), [whole]);
}

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

/**
 * What the screen that is being pre-rendered says of itself. In browsers effects put that on the page; at build time
 * there are none.
 */
export const pageHead = { title: "", description: "" };

let title = globalThis.document?.title ?? "";
let unseen = 0;

function show(): void {
  document.title = unseen > 0 ? `(${unseen}) ${title}` : title;
}

/** Names the screen in the browser's tab. */
function setPageTitle(next: string): void {
  title = next;
  show();
}

/** Puts the number of what has happened unseen before the title; nothing for 0. */
export function setUnseenCount(count: number): void {
  unseen = count;
  show();
}
