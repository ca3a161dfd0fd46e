/** How long a widget may take to say that it is there, in milliseconds. */
export const WIDGET_DEADLINE_MS = 5_000;

const SCRIPTS = "https://s3.tradingview.com/external-embedding";
/** What a widget says instead of showing anything. */
const NO_DATA = "tv-widget-no-data";

export interface EmbedOptions {
  /** Empty, and left empty again. */
  host: HTMLElement;
  /** Which widget, as its script is called. */
  name: string;
  /** What the widget shows, in the words of its vendor. */
  config: object;
  /** Says to screen readers what the widget's frame holds. */
  title: string;
  onLoaded(): void;
  onFailed(): void;
}

/**
 * Puts a TradingView widget into `host`. Its frame fires `load` even if the vendor cannot be reached, so only a message
 * from within counts; without one in time, the widget is taken out again. Returns what ends it.
 */
export function embedWidget({ host, onLoaded, onFailed, ...widget }: EmbedOptions): () => void {
  const waiting = new AbortController();
  const deadline = setTimeout(fail, WIDGET_DEADLINE_MS);
  function decide() {
    clearTimeout(deadline);
    waiting.abort();
  }
  function fail() {
    decide();
    host.replaceChildren();
    onFailed();
  }
  const hear = ({ source, data }: MessageEvent) => {
    const frame = host.querySelector("iframe");
    if (!frame || source !== frame.contentWindow) return;
    if (messageName(data) === NO_DATA) return fail();
    decide();
    frame.title ||= widget.title;
    onLoaded();
  };
  window.addEventListener("message", hear, { signal: waiting.signal });
  host.replaceChildren(...widgetParts(widget, fail));
  return () => {
    decide();
    host.replaceChildren();
  };
}

/** The script reads its settings from its own text and puts the frame beside itself. */
function widgetParts({ name, config }: Pick<EmbedOptions, "name" | "config">, onError: () => void) {
  const place = document.createElement("div");
  place.className = "tradingview-widget-container__widget";
  const script = document.createElement("script");
  script.src = `${SCRIPTS}/embed-widget-${name}.js`;
  script.async = true;
  script.text = JSON.stringify(config);
  script.onerror = onError;
  return [place, script];
}

/** Messages come as objects, or as JSON. */
function messageName(data: unknown): unknown {
  if (typeof data === "string") return data.includes(NO_DATA) ? NO_DATA : undefined;
  return typeof data === "object" && data && "name" in data ? data.name : undefined;
}
