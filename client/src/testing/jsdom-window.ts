/** What jsdom lacks or does slowly. Done once for all files of a process, unlike the setup. */

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

/** Without stylesheets, an element's style follows from these, and from what it inherits. */
const STYLED_BY = ["hidden", "open", "type", "style"];
/** What queries and clicks look at. */
const INHERITED = /visibility|pointer-events/;
const computedStyles = new Map<string, CSSStyleDeclaration>();
const computeStyle = window.getComputedStyle;

function inheritsStyle(element: Element | null): boolean {
  if (!element) return false;
  return (
    INHERITED.test(element.getAttribute("style") ?? "") || inheritsStyle(element.parentElement)
  );
}

/** Half of the time of a query by name is spent here. */
window.getComputedStyle = (element, pseudoElement) => {
  if (pseudoElement || inheritsStyle(element)) return computeStyle(element, pseudoElement);
  const key = [element.localName, ...STYLED_BY.map((name) => element.getAttribute(name))].join();
  const style = computedStyles.get(key) ?? computeStyle(element);
  computedStyles.set(key, style);
  return style;
};

/**
 * React's development build notes for each element where it was made, for its warnings: a quarter of the time of a screen
 * with many. It has a limit for that, and reads whether it is reached here.
 */
Reflect.deleteProperty(console, "createTask");
const { default: react } = await import("react");
Object.defineProperty(
  Reflect.get(react, "__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE"),
  "recentlyCreatedOwnerStacks",
  { get: () => Number.POSITIVE_INFINITY, set: doNothing },
);

export {};
