import { useRouteError } from "react-router-dom";
import { Button } from "../ui/button.tsx";
import { MessagePage } from "./message-page.tsx";
import { appTexts } from "./texts.ts";

/** Stands in for a screen that broke, or whose code could not be loaded. */
export function ErrorPage() {
  const error = useRouteError();
  return (
    <main>
      <MessagePage title={appTexts.errorTitle} text={appTexts.error}>
        <Button onClick={() => window.location.reload()}>{appTexts.reload}</Button>
        {error instanceof Error && (
          <details className="max-w-xl text-sm text-ink-faint">
            <summary className="cursor-pointer">{appTexts.errorDetails}</summary>
            <code className="mt-2 block break-words">{error.message}</code>
          </details>
        )}
      </MessagePage>
    </main>
  );
}
