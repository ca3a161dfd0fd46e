// @ts-check
// Puts the chosen theme on the page before that is painted, and keeps it there. Dark until somebody chooses.
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
  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };

  apply(stored());
  system.addEventListener("change", () => apply(page.dataset.themeChoice));
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) apply(stored());
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
})();
