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
      {state !== "failed" && <div ref={host} inert={showsFallback} className="h-full" />}
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

/**
 * Shows the widget in a frame without access to this page and its storage. The frame fires `load` even if the vendor
 * cannot be reached, so only its message counts.
 */
function embedWidget(
  host: HTMLElement,
  { name, config, title }: Widget,
  onState: (state: WidgetState) => void,
): () => void {
  const frame = document.createElement("iframe");
  const report = (state: WidgetState) => {
    stopWaiting();
    onState(state);
  };
  const onMessage = ({ source, data }: MessageEvent) => {
    const isState = data === "loaded" || data === "failed";
    if (isState && source === frame.contentWindow) report(data);
  };
  const deadline = setTimeout(report, WIDGET_TIMEOUT_MS, "failed");
  const stopWaiting = () => {
    clearTimeout(deadline);
    window.removeEventListener("message", onMessage);
  };
  window.addEventListener("message", onMessage);
  frame.title = title;
  frame.className = "size-full";
  // The page in the frame has the same sandbox by its own headers.
  frame.setAttribute("sandbox", "allow-scripts allow-popups allow-popups-to-escape-sandbox");
  frame.src = `/widget.html?${name}#${encodeURIComponent(JSON.stringify(config))}`;
  host.replaceChildren(frame);
  return () => {
    stopWaiting();
    frame.remove();
  };
}
