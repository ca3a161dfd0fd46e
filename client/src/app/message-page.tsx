import type { ReactNode } from "react";
import { usePageTitle } from "../ui/use-page-title.ts";

interface MessagePageProps {
  title: string;
  text: string;
  /** What the reader can do next. */
  children: ReactNode;
}

/** A page that holds one message and one way on. */
export function MessagePage({ title, text, children }: MessagePageProps) {
  usePageTitle(title);
  return (
    <div className="page flex flex-col items-center gap-5 py-24 text-center sm:py-32">
      <h1 className="text-3xl font-semibold tracking-tight">{title}</h1>
      <p className="max-w-md text-ink-muted text-pretty">{text}</p>
      {children}
    </div>
  );
}
