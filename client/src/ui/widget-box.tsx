import { type ReactNode, Suspense, useEffect, useRef } from "react";
import { Skeleton } from "./skeleton.tsx";
import { useWidget } from "./use-widget.ts";

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
