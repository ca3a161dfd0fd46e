import { type ReactNode, useEffect } from "react";
import { useBrand } from "../lib/brand.ts";

/** Title of a screen, in the page and in the browser tab. */
export function PageHeading({ title, children }: { title: string; children?: ReactNode }) {
  usePageTitle(title);
  return (
    <div className="flex flex-col gap-1.5">
      <h1 className="text-2xl font-semibold tracking-tight sm:text-3xl">{title}</h1>
      {children && <div className="max-w-2xl text-ink-muted text-pretty">{children}</div>}
    </div>
  );
}

/** Sets the title of the browser tab; without one, the product's name. */
export function usePageTitle(title?: string): void {
  const { name } = useBrand();
  const whole = title ? `${title} · ${name}` : name;
  if (import.meta.env.SSR) pageHead.title = whole;
  useEffect(() => setPageTitle(whole), [whole]);
}

/** Sets the description for search engines and link previews. */
export function usePageDescription(text: string): void {
  const description = text.replace("AI Trading Bot", useBrand().name);
  if (import.meta.env.SSR) pageHead.description = description;
  useEffect(() => {
    const meta = document.querySelector<HTMLMetaElement>('meta[name="description"]');
    if (!meta) return;
    // Pre-rendered screens have their own description and keep the default beside it.
    meta.dataset.common ??= meta.content;
    meta.content = description;
    return () => {
      meta.content = meta.dataset.common ?? "";
    };
  }, [description]);
}

/** Title and description of the screen being pre-rendered, where effects do not run. */
export const pageHead = { title: "", description: "" };

let title = globalThis.document?.title ?? "";
let unseen = 0;
let status: string | null = null;

function show(): void {
  const whole = status ? `${status} · ${title}` : title;
  document.title = unseen > 0 ? `(${unseen}) ${whole}` : whole;
}

function setPageTitle(next: string): void {
  title = next;
  show();
}

/** Shows a count before the title of the tab; nothing for 0. */
export function setUnseenCount(count: number): void {
  unseen = count;
  show();
}

/** Shows a state before the title of the tab; null removes it. */
export function setTitleStatus(next: string | null): void {
  status = next;
  show();
}
