import { renderToString } from "react-dom/server";
import { createMemoryRouter } from "react-router-dom";
import { App, loadScreen } from "./app/app.tsx";
import { routes } from "./app/routes.tsx";
import { pageHead } from "./ui/page-heading.tsx";

export async function renderScreen(path: string) {
  await loadScreen(routes, path);
  Object.assign(pageHead, { title: "", description: "" });
  const html = render(path);
  return { html, ...pageHead };
}

/** Renders the frame around the screen at `path`, shown while its code loads. */
export const renderFrame = (path: string): string => render(path);

/** @throws if anything is left to the browser: that needs an inline script, which the content policy forbids */
function render(path: string): string {
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  const html = renderToString(<App router={router} />);
  if (html.includes("<!--$!-->")) throw new Error(`${path}: something on it waits to be loaded`);
  return html;
}
