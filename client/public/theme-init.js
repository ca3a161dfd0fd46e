// @ts-check
// Sets what the first paint needs: the theme, which is dark by default, and whether the user is signed in, because the
// page was rendered for visitors.
(() => {
  const KEY = "theme";
  const page = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: light)");

  const apply = (/** @type {string | null | undefined} */ choice) => {
    const isLight = choice === "light" || (choice === "system" && system.matches);
    const theme = isLight ? "light" : "dark";
    page.dataset.theme = theme;
    page.dataset.themeChoice = choice ?? theme;
    const look = { "color-scheme": theme, "theme-color": isLight ? "#f4f6f9" : "#0a0d12" };
    for (const [name, content] of Object.entries(look)) {
      document.querySelector(`meta[name=${name}]`)?.setAttribute("content", content);
    }
  };

  // Browsers that refuse local storage forget the choice with the page.
  const stored = (/** @type {string} */ key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  apply(stored(KEY));
  system.addEventListener("change", () => apply(page.dataset.themeChoice));
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) apply(stored(KEY));
  });
  window.addEventListener("themechoice", (event) => {
    if (!(event instanceof CustomEvent)) return;
    apply(event.detail);
    try {
      localStorage.setItem(KEY, event.detail);
    } catch {
      // Kept on the page alone.
    }
  });

  // The operator's accent, as the last page knew it.
  const style = document.head.appendChild(document.createElement("style"));
  style.id = "brand";
  style.textContent = stored("brand");

  // Styles hide what is for others, until the application has taken the page over.
  const isMember = Boolean(stored("token"));
  const isApproved = isMember && stored("isApproved") === "true";
  page.dataset.early = [isMember && "member", isApproved && "approved"].filter(Boolean).join(" ");
})();

// A button pressed before the application is there is pressed again once it is. Until then nothing happens: a form that
// the browser sent by itself would put what is in it, a password for one, into the address.
(() => {
  /** @type {HTMLButtonElement | null} */
  let pressed = null;
  const keep = (/** @type {MouseEvent} */ event) => {
    const button = event.target instanceof Element && event.target.closest("button");
    if (!button) return;
    event.preventDefault();
    pressed = button;
  };
  document.addEventListener("click", keep, true);
  const onReady = () => {
    document.removeEventListener("click", keep, true);
    pressed?.click();
  };
  window.addEventListener("appready", onReady, { once: true });
})();

// The content policy forbids `eval`, which zod would compile its checks with.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

// The application comes after the first paint, which its code would only keep waiting; at the latest after two seconds,
// as nothing is painted in a tab that is not in view.
(() => {
  const LATEST_MS = 2_000;
  const load = () => {
    const code = document.querySelector("template#code");
    if (!(code instanceof HTMLTemplateElement)) return;
    code.remove();
    // Each in a task of its own: many requests made in one would keep the reader waiting.
    for (const tag of [...code.content.children]) setTimeout(() => document.head.append(tag));
  };
  new PerformanceObserver(load).observe({ type: "paint", buffered: true });
  setTimeout(load, LATEST_MS);
})();
