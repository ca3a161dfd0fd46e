import { type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from "react";
import { Skeleton } from "./card.tsx";

/** One of TradingView's widgets. */
export interface Widget {
  /** As the vendor's script is called. */
  name: string;
  /** Says to screen readers what it shows. */
  title: string;
  /** In the words of its vendor; the same object as long as nothing in it changes. */
  config: object;
}

interface WidgetBoxProps {
  widget: Widget;
  /** Shown in the same box where the widget does not load. */
  children: ReactNode;
  /** Whether to try the widget at all. */
  wanted?: boolean;
  /** Whether the stand-in is shown while the widget loads; otherwise a skeleton is. */
  early?: boolean;
  /** Whether the stand-in is shown though the widget is there. */
  covered?: boolean;
  onLoaded?(): void;
  /** Gives the box its height, which is that of the widget and of what stands in for it. */
  className: string;
}

const skeleton = <Skeleton className="absolute inset-0 rounded-none" />;

/** A market widget from outside, or our own panel in its place. */
export function WidgetBox({ widget, children, wanted = true, className, ...more }: WidgetBoxProps) {
  const { early = false, covered = false, onLoaded } = more;
  const host = useRef<HTMLDivElement>(null);
  const state = useWidget(host, { ...widget, wanted });
  useEffect(() => {
    if (state === "loaded") onLoaded?.();
  }, [state, onLoaded]);
  const showsStandIn = state === "failed" || covered || (early && state === "waiting");
  return (
    <div
      data-widget={widget.name}
      data-state={state}
      className={`relative overflow-hidden ${className}`}
    >
      {state !== "failed" && (
        <div ref={host} inert={showsStandIn} className="tradingview-widget-container h-full" />
      )}
      {state === "waiting" && !early && skeleton}
      {showsStandIn && (
        <div className="absolute inset-0 bg-surface">
          <Suspense fallback={skeleton}>{children}</Suspense>
        </div>
      )}
    </div>
  );
}

/** How far below the view a widget is loaded already. */
const AHEAD = "300px";

/** `failed` for good: what stands in for the widget is not taken away from under its reader. */
type WidgetState = "waiting" | "loaded" | "failed";

/** Loads a widget into `host` as soon as that comes near the view, unless it is not `wanted` at all. */
function useWidget(
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

/** How long a widget may take to say that it is there, in milliseconds. */
const WIDGET_DEADLINE_MS = 5_000;

const SCRIPTS = "https://s3.tradingview.com/external-embedding";
/** What a widget says instead of showing anything. */
const NO_DATA = "tv-widget-no-data";

interface EmbedOptions {
  /** Empty, and left empty again. */
  host: HTMLElement;
  /** Which widget, as its script is called. */
  name: string;
  /** What the widget shows, in the words of its vendor. */
  config: object;
  /** Says to screen readers what the widget's frame holds. */
  title: string;
  onLoaded(): void;
  onFailed(): void;
}

/**
 * Puts a TradingView widget into `host`. Its frame fires `load` even if the vendor cannot be reached, so only a message
 * from within counts; without one in time, the widget is taken out again. Returns what ends it.
 */
function embedWidget({ host, onLoaded, onFailed, ...widget }: EmbedOptions): () => void {
  const waiting = new AbortController();
  const deadline = setTimeout(fail, WIDGET_DEADLINE_MS);
  function decide() {
    clearTimeout(deadline);
    waiting.abort();
  }
  function fail() {
    decide();
    host.replaceChildren();
    onFailed();
  }
  const hear = ({ source, data }: MessageEvent) => {
    const frame = host.querySelector("iframe");
    if (!frame || source !== frame.contentWindow) return;
    if (messageName(data) === NO_DATA) return fail();
    decide();
    frame.title ||= widget.title;
    onLoaded();
  };
  window.addEventListener("message", hear, { signal: waiting.signal });
  host.replaceChildren(...widgetParts(widget, fail));
  return () => {
    decide();
    host.replaceChildren();
  };
}

/** The script reads its settings from its own text and puts the frame beside itself. */
function widgetParts({ name, config }: Pick<EmbedOptions, "name" | "config">, onError: () => void) {
  const place = document.createElement("div");
  place.className = "tradingview-widget-container__widget";
  const script = document.createElement("script");
  script.src = `${SCRIPTS}/embed-widget-${name}.js`;
  script.async = true;
  script.text = JSON.stringify(config);
  script.onerror = onError;
  return [place, script];
}

/** Messages come as objects, or as JSON. */
function messageName(data: unknown): unknown {
  if (typeof data === "string") return data.includes(NO_DATA) ? NO_DATA : undefined;
  return typeof data === "object" && data && "name" in data ? data.name : undefined;
}
