import type { ComponentProps } from "react";

export function Card({ className = "", ...props }: ComponentProps<"div">) {
  return <div {...props} className={`rounded-card border border-line bg-surface ${className}`} />;
}

export function Skeleton({ className = "", count = 1 }: { className?: string; count?: number }) {
  const look = `animate-pulse rounded-md bg-raised ${className}`;
  return [...Array(count).keys()].map((key) => <div key={key} aria-hidden className={look} />);
}
