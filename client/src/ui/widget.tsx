import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Skeleton } from "./card.tsx";

export interface Widget {
  name: string;
  title: string;
  /** The vendor's options. Must be the same object between renders. */
  config: object;
}

interface WidgetBoxProps {
  widget: Widget;
  /** Shown in the same box if the widget does not load. */
  children: ReactNode;
  wanted?: boolean;
  /** Shows `children` while the widget loads, instead of a skeleton. */
  early?: boolean;
  /** Shows `children` although the widget is loaded. */
  covered?: boolean;
  onLoaded?(): void;
  className: string;
}

export const widgetSkeleton = <Skeleton className="absolute inset-0 rounded-none" />;

export function WidgetBox({ widget, children, wanted = true, className, ...more }: WidgetBoxProps) {
  const { early = false, covered = false, onLoaded } = more;
  const host = useRef<HTMLDivElement>(null);
  const state = useWidget(host, { ...widget, wanted });
  useEffect(() => {
    if (state === "loaded") onLoaded?.();
  }, [state, onLoaded]);
  const showsFallback = state === "failed" || covered || (early && state === "waiting");
  return (
    <div
      data-widget={widget.name}
      data-state={state}
      className={`relative overflow-hidden ${className}`}
    >
      {state !== "failed" && (
        <div ref={host} inert={showsFallback} className="tradingview-widget-container h-full" />
      )}
      {state === "waiting" && !early && widgetSkeleton}
      {showsFallback && <div className="absolute inset-0 bg-surface">{children}</div>}
    </div>
  );
}

/** Widgets this close to the view are loaded ahead. */
const PRELOAD_MARGIN = "300px";

/** `failed` is final: the fallback is not taken away from its reader. */
type WidgetState = "waiting" | "loaded" | "failed";

function useWidget(
  host: RefObject<HTMLElement | null>,
  { name, config, title, wanted }: Widget & { wanted: boolean },
): WidgetState {
  const [state, setState] = useState<WidgetState>("waiting");
  useEffect(() => {
    const element = host.current;
    if (!element || !wanted) return;
    let remove: (() => void) | undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        observer.disconnect();
        remove = embedWidget(element, { name, config, title }, setState);
      },
      { rootMargin: PRELOAD_MARGIN },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      remove?.();
    };
  }, [host, name, config, title, wanted]);
  return wanted ? state : "failed";
}

const WIDGET_TIMEOUT_MS = 5_000;

const SCRIPTS = "https://s3.tradingview.com/external-embedding";
const NO_DATA = "tv-widget-no-data";

/** The frame fires `load` even if the vendor cannot be reached, so only a message from the widget counts. */
function embedWidget(
  host: HTMLElement,
  widget: Widget,
  onState: (state: WidgetState) => void,
): () => void {
  const waiting = new AbortController();
  const deadline = setTimeout(fail, WIDGET_TIMEOUT_MS);
  function stopWaiting() {
    clearTimeout(deadline);
    waiting.abort();
  }
  function remove() {
    stopWaiting();
    host.replaceChildren();
  }
  function fail() {
    remove();
    onState("failed");
  }
  const onMessage = ({ source, data }: MessageEvent) => {
    const frame = host.querySelector("iframe");
    if (!frame || source !== frame.contentWindow) return;
    if (messageName(data) === NO_DATA) return fail();
    stopWaiting();
    frame.title ||= widget.title;
    onState("loaded");
  };
  window.addEventListener("message", onMessage, { signal: waiting.signal });
  host.replaceChildren(...widgetElements(widget, fail));
  return remove;
}

/** The script reads its options from its own text. */
function widgetElements({ name, config }: Widget, onError: () => void) {
  const target = document.createElement("div");
  target.className = "tradingview-widget-container__widget";
  const script = document.createElement("script");
  script.src = `${SCRIPTS}/embed-widget-${name}.js`;
  script.async = true;
  script.text = JSON.stringify(config);
  script.onerror = onError;
  return [target, script];
}

/** Messages are objects or JSON. */
function messageName(data: unknown): unknown {
  if (typeof data === "string") return data.includes(NO_DATA) ? NO_DATA : undefined;
  return typeof data === "object" && data && "name" in data ? data.name : undefined;
}
