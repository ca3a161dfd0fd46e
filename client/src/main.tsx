import "./lib/zod-without-eval.ts";
import { startTransition } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router-dom";
import { App, followSession, holdScreen, loadScreen } from "./app/app.tsx";
import { routes } from "./app/routes.tsx";
import { yieldToMain } from "./lib/hydration.ts";
import "./ui/theme.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root.");

followSession();
void start(root);

async function start(element: HTMLElement): Promise<void> {
  // Reading the code was a long task already.
  await yieldToMain();
  const content = await contentOf(element.dataset);
  if (content === "frame") holdScreen(routes, window.location.pathname, untilReady());
  // Told that the screen is there, the router leaves it scrolled as it is.
  const router = createBrowserRouter(routes, content === "screen" ? { hydrationData: {} } : {});
  const app = <App router={router} />;
  // As a transition, React goes over the page in small steps, and the page hears its reader in between.
  if (content) return startTransition(() => void hydrateRoot(element, app));
  element.replaceChildren();
  createRoot(element).render(app);
}

/** Resolves once the application has taken the page over. */
const untilReady = (): Promise<unknown> =>
  new Promise((resolve) => window.addEventListener("appready", resolve, { once: true }));

/**
 * What the page holds of that which the application shows first: the screen of this address, whose code is loaded then,
 * or the frame around every screen. A screen whose code cannot be loaded is left to the router, which says so.
 */
async function contentOf({ screen, frame }: DOMStringMap): Promise<"screen" | "frame" | null> {
  const { pathname } = window.location;
  if (frame === pathname) return "frame";
  if (screen !== pathname) return null;
  return loadScreen(routes, pathname).then(
    () => "screen",
    () => null,
  );
}
