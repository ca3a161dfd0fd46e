import { type ReactNode, Suspense, useRef } from "react";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWidget } from "./use-widget.ts";

interface WidgetBoxProps {
  widget: { name: string; title: string; config: object };
  /** Shown in the same box where the widget does not load. */
  children: ReactNode;
  /** Whether to try the widget at all. */
  wanted?: boolean;
  /** Gives the box its height, which is that of the widget and of what stands in for it. */
  className: string;
}

/** A market widget from outside, or our own panel in its place. */
export function WidgetBox({ widget, children, wanted = true, className }: WidgetBoxProps) {
  const host = useRef<HTMLDivElement>(null);
  const state = useWidget(host, { ...widget, wanted });
  const skeleton = <Skeleton className="absolute inset-0 rounded-none" />;
  return (
    <div
      data-widget={widget.name}
      data-state={state}
      className={`relative overflow-hidden ${className}`}
    >
      {state === "failed" ? (
        <Suspense fallback={skeleton}>{children}</Suspense>
      ) : (
        <>
          <div ref={host} className="tradingview-widget-container h-full" />
          {state === "waiting" && skeleton}
        </>
      )}
    </div>
  );
}
