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

/** Without stylesheets, an element's style follows from these, unless it or an ancestor has a `style`. */
const STYLED_BY = ["hidden", "open", "type"];
const computedStyles = new Map<string, CSSStyleDeclaration>();
const computeStyle = window.getComputedStyle;

function hasOwnStyle(element: Element | null): boolean {
  return element !== null && (element.hasAttribute("style") || hasOwnStyle(element.parentElement));
}

/** Half of the time of a query by name is spent here. */
window.getComputedStyle = (element, pseudoElement) => {
  if (pseudoElement || hasOwnStyle(element)) return computeStyle(element, pseudoElement);
  const key = [element.localName, ...STYLED_BY.map((name) => element.getAttribute(name))].join();
  const style = computedStyles.get(key) ?? computeStyle(element);
  computedStyles.set(key, style);
  return style;
};
