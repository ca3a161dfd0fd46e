import type { ReactNode } from "react";
import { Link, useRouteError } from "react-router-dom";
import { Button, buttonClass } from "../ui/button.tsx";
import { usePageTitle } from "../ui/page-heading.tsx";

interface MessagePageProps {
  title: string;
  text: string;
  children: ReactNode;
}

function MessagePage({ title, text, children }: MessagePageProps) {
  usePageTitle(title);
  return (
    <div className="page flex flex-col items-center gap-5 py-24 text-center sm:py-32">
      <h1 className="text-3xl font-semibold tracking-tight">{title}</h1>
      <p className="max-w-md text-ink-muted text-pretty">{text}</p>
      {children}
    </div>
  );
}

export function NotFoundPage() {
  return (
    <MessagePage
      title="Page not found"
      text="We couldn't find this page. Check the URL or go to the home page."
    >
      <Link to="/" className={buttonClass()}>
        Go to the home page
      </Link>
    </MessagePage>
  );
}

export function ErrorPage() {
  const error = useRouteError();
  return (
    <main>
      <MessagePage
        title="Something went wrong"
        text="We couldn't load this page. Reload it to try again."
      >
        <Button onClick={() => window.location.reload()}>Reload page</Button>
        {error instanceof Error && (
          <details className="max-w-xl text-sm text-ink-faint">
            <summary className="cursor-pointer">Technical details</summary>
            <code className="mt-2 block break-words">{error.message}</code>
          </details>
        )}
      </MessagePage>
    </main>
  );
}
