import { useEffect } from "react";

const PRODUCT = "AI Trading Bot";

/** Names the screen in the browser's tab; the home page goes by the product's name alone. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    document.title = title ? `${title} · ${PRODUCT}` : PRODUCT;
  }, [title]);
}
