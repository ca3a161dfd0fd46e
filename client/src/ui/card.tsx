import type { ComponentProps } from "react";

/** The plain surface that content stands on. */
export function Card({ className = "", ...props }: ComponentProps<"div">) {
  return <div {...props} className={`rounded-card border border-line bg-surface ${className}`} />;
}
