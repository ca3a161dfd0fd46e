import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { api, apiUrl } from "./fake-api.ts";

process.env.VITE_API_URL = apiUrl;

configure({
  // Elements that assistive technology cannot reach are rare here, and looking for them takes most of a query's time.
  defaultHidden: true,
  // Only a failure takes that long, but a busy machine may.
  asyncUtilTimeout: 30_000,
  getElementError: (message, { outerHTML }) => new Error(message ?? outerHTML.slice(0, 500)),
});

const doNothing = () => undefined;

/** jsdom has no layout: nothing is ever in view, so no market widget is loaded and no further page is fetched. */
class NothingInView {
  readonly observe = doNothing;
  readonly unobserve = doNothing;
  readonly disconnect = doNothing;
}
Object.assign(globalThis, { IntersectionObserver: NothingInView, ResizeObserver: NothingInView });
Object.assign(window, {
  matchMedia: (media: string) => Object.assign(new EventTarget(), { media, matches: false }),
  scrollTo: doNothing,
});
Object.assign(Element.prototype, { scrollIntoView: doNothing, getAnimations: () => [] });

/** jsdom has no canvas either: charts are laid out, but not painted. */
const canvasContext = new Proxy(
  { measureText: () => ({ width: 8 }) },
  { get: (known, name) => Reflect.get(known, name) ?? doNothing, set: () => true },
);
Object.assign(HTMLCanvasElement.prototype, { getContext: () => canvasContext });

// Node's own `fetch` cannot read the forms of jsdom; the `Request` of Vitest's jsdom environment can.
const nodeFetch = globalThis.fetch;
globalThis.fetch = (input, init) => nodeFetch(new Request(input, init));

afterEach(async () => {
  cleanup();
  const { resetApp } = await import("./open-app.tsx");
  resetApp();
  api.reset();
});
