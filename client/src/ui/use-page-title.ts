import { useEffect } from "react";
import { pageHead } from "../lib/page-head.ts";
import { setPageTitle } from "../lib/page-title.ts";

const PRODUCT = "AI Trading Bot";

/** Names the screen in the browser's tab; the home page goes by the product's name alone. */
export function usePageTitle(title?: string): void {
  const whole = title ? `${title} · ${PRODUCT}` : PRODUCT;
  if (import.meta.env.SSR) pageHead.title = whole;
  useEffect(() => setPageTitle(whole), [whole]);
}
