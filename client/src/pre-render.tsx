import { renderToString } from "react-dom/server";
import { createMemoryRouter } from "react-router-dom";
import { App, loadScreen } from "./app/app.tsx";
import { routes } from "./app/routes.tsx";
import { pageHead } from "./ui/page-heading.tsx";

/** A screen as HTML, for a visitor, with what it says of itself. */
export async function renderScreen(path: string) {
  await loadScreen(routes, path);
  Object.assign(pageHead, { title: "", description: "" });
  const html = render(path);
  return { html, ...pageHead };
}

/** What stands around every screen, as HTML, for while the code of the one at `path` loads. */
export const renderFrame = (path: string): string => render(path);

/**
 * @throws if anything would be left to the browser: that needs a script inside the page, which the content policy
 *   forbids
 */
function render(path: string): string {
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  const html = renderToString(<App router={router} />);
  if (html.includes("<!--$!-->")) throw new Error(`${path}: something on it waits to be loaded`);
  return html;
}
