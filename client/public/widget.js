// @ts-check
// Runs the script of a TradingView widget in a sandboxed frame, and tells the page around it how that went. The address
// names the widget and its options, and anyone can make one up.
(() => {
  const NAMES = ["advanced-chart", "market-overview", "screener", "ticker-tape"];
  const SCRIPTS = "https://s3.tradingview.com/external-embedding";
  const NO_DATA = "tv-widget-no-data";
  /** Symbols, names, time zones and sizes, but no markup and no addresses. */
  const OPTION = /^(?!.*\/\/)[\w/:%+ -]{0,64}$/;

  const host = document.querySelector(".tradingview-widget-container");
  const tell = (/** @type {"loaded" | "failed"} */ state) => {
    if (window.parent !== window) window.parent.postMessage(state, location.origin);
  };

  const readOptions = () => {
    const text = decodeURIComponent(location.hash.slice(1));
    return JSON.parse(text, (name, value) => {
      const isPlain = OPTION.test(name) && (typeof value !== "string" || OPTION.test(value));
      if (!isPlain) throw new Error(`The option ${name} is not allowed.`);
      return value;
    });
  };

  window.addEventListener("message", ({ source, data }) => {
    const frame = host?.querySelector("iframe");
    if (!frame || source !== frame.contentWindow) return;
    // Messages are objects or JSON.
    const message = String(typeof data === "string" ? data : data?.name);
    tell(message.includes(NO_DATA) ? "failed" : "loaded");
  });

  const name = location.search.slice(1);
  const script = document.createElement("script");
  try {
    if (!NAMES.includes(name)) throw new Error(`There is no widget ${name}.`);
    // The script reads its options from its own text.
    script.text = JSON.stringify(readOptions());
    script.src = `${SCRIPTS}/embed-widget-${name}.js`;
    script.onerror = () => tell("failed");
    host?.append(script);
  } catch {
    tell("failed");
  }
})();
