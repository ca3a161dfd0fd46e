import { type RefObject, useEffect, useState } from "react";
import { type EmbedOptions, embedWidget } from "./embed-widget.ts";

/** How far below the view a widget is loaded already. */
const AHEAD = "300px";

/** `failed` for good: what stands in for the widget is not taken away from under its reader. */
export type WidgetState = "waiting" | "loaded" | "failed";

/** Loads a widget into `host` as soon as that comes near the view, unless it is not `wanted` at all. */
export function useWidget(
  host: RefObject<HTMLElement | null>,
  {
    name,
    config,
    title,
    wanted,
  }: Omit<EmbedOptions, "host" | "onLoaded" | "onFailed"> & { wanted: boolean },
): WidgetState {
  const [state, setState] = useState<WidgetState>("waiting");
  useEffect(() => {
    const element = host.current;
    if (!element || !wanted) return;
    let end: (() => void) | undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        const onLoaded = () => setState("loaded");
        const onFailed = () => setState("failed");
        end = embedWidget({ host: element, name, config, title, onLoaded, onFailed });
      },
      { rootMargin: AHEAD },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      end?.();
    };
  }, [host, name, config, title, wanted]);
  return wanted ? state : "failed";
}
