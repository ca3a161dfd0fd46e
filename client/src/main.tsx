import { startTransition } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router-dom";
import { App, followSession, holdScreen, loadScreen } from "./app/app.tsx";
import { SignedIn } from "./app/layout.tsx";
import { routes } from "./app/routes.tsx";
import { yieldToMain } from "./lib/hydration.ts";
import { useSession } from "./lib/session.ts";
import "./ui/theme.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root.");

followSession();
void start(root);

async function start(element: HTMLElement): Promise<void> {
  if (useSession.getState().token !== null) {
    // The schemas come first, in a task of their own: building them takes as long as the rest. Rendering reports what fails.
    const loads = [import("@shared/contract/events.ts"), SignedIn.preload()];
    void Promise.all(loads).catch(() => undefined);
  }
  // Parsing the code was a long task already.
  await yieldToMain();
  const content = await contentOf(element.dataset);
  if (content === "frame") holdScreen(routes, window.location.pathname, untilReady());
  // With hydration data, the router keeps the scroll position.
  const router = createBrowserRouter(routes, content === "screen" ? { hydrationData: {} } : {});
  const app = <App router={router} />;
  // A transition hydrates in small steps, so that the page stays responsive.
  if (content) return startTransition(() => void hydrateRoot(element, app));
  element.replaceChildren();
  createRoot(element).render(app);
}

const untilReady = (): Promise<unknown> =>
  new Promise((resolve) => window.addEventListener("appready", resolve, { once: true }));

/** What the page was pre-rendered with: the screen of this URL, or the frame around every screen. */
async function contentOf({ screen, frame }: DOMStringMap): Promise<"screen" | "frame" | null> {
  const { pathname } = window.location;
  if (frame === pathname) return "frame";
  if (screen !== pathname) return null;
  return loadScreen(routes, pathname).then(
    () => "screen",
    () => null,
  );
}
