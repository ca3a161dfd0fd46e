import { useEffect } from "react";
import { setPageTitle } from "../lib/page-title.ts";

const PRODUCT = "AI Trading Bot";

/** Names the screen in the browser's tab; the home page goes by the product's name alone. */
export function usePageTitle(title?: string): void {
  useEffect(() => setPageTitle(title ? `${title} · ${PRODUCT}` : PRODUCT), [title]);
}
