import type { ComponentProps } from "react";
import { Link } from "react-router-dom";

/** A link among words. */
export function TextLink({ className = "", ...props }: ComponentProps<typeof Link>) {
  return (
    <Link
      {...props}
      className={`rounded font-medium text-accent underline-offset-4 hover:underline ${className}`}
    />
  );
}
