import "./lib/zod-without-eval.ts";
import { createRoot, hydrateRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router-dom";
import { App } from "./app/app.tsx";
import { loadScreen } from "./app/load-screen.ts";
import { routes } from "./app/routes.tsx";
import { followSession } from "./app/session-scope.ts";
import "./ui/theme.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root.");

followSession();
void start(root);

async function start(element: HTMLElement): Promise<void> {
  const isFilled = await isPreRendered(element.dataset);
  const app = <App router={createBrowserRouter(routes)} />;
  if (isFilled) return void hydrateRoot(element, app);
  element.replaceChildren();
  createRoot(element).render(app);
}

/**
 * Whether the page holds what the application shows first: the screen of this address, whose code is loaded then, or
 * the frame around every screen. A screen whose code cannot be loaded is left to the router, which says so.
 */
async function isPreRendered({ screen, frame }: DOMStringMap): Promise<boolean> {
  const { pathname } = window.location;
  if (screen !== pathname) return frame === pathname;
  try {
    await loadScreen(routes, pathname);
    return true;
  } catch {
    return false;
  }
}
