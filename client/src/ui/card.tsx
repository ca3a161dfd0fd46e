import type { ComponentProps } from "react";

/** The plain surface that content stands on. */
export function Card({ className = "", ...props }: ComponentProps<"div">) {
  return <div {...props} className={`rounded-card border border-line bg-surface ${className}`} />;
}

/** Stands where content will appear; its size is given by `className`. */
export function Skeleton({ className = "" }: { className?: string }) {
  return <div aria-hidden className={`animate-pulse rounded-md bg-raised ${className}`} />;
}
