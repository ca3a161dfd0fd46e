// @ts-check

/** Screens that search engines are told of; all others belong to somebody, or to the link of a mail. */
export const PUBLIC_SCREENS = [
  "/",
  "/pricing",
  "/contact",
  "/login",
  "/register",
  "/privacy",
  "/terms",
];

const PRIVATE_SCREENS = ["/dashboard", "/user-panel", "/bot", "/signal-history", "/admin"];
const MAIL_SCREENS = ["/reset-password", "/verify-email"];

/** Stands in `client/index.html` for the origin of the pages, which previews of links need in full. */
const PLACEHOLDER = "%PUBLIC_ORIGIN%";

/**
 * What search engines and previews of links read, for pages that are served under `origin`.
 *
 * @param {string} origin
 * @returns {import("vite").Plugin}
 */
export function siteFiles(origin) {
  return {
    name: "site-files",
    apply: (_, { isSsrBuild }) => !isSsrBuild,
    transformIndexHtml: (html) => html.replaceAll(PLACEHOLDER, origin),
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "robots.txt", source: robots(origin) });
      this.emitFile({ type: "asset", fileName: "sitemap.xml", source: sitemap(origin) });
    },
  };
}

/** @param {string} origin */
function robots(origin) {
  const closed = [...PRIVATE_SCREENS, ...MAIL_SCREENS].map((path) => `Disallow: ${path}`);
  return ["User-agent: *", ...closed, "", `Sitemap: ${origin}/sitemap.xml`, ""].join("\n");
}

/** @param {string} origin */
function sitemap(origin) {
  const urls = PUBLIC_SCREENS.map((path) => `  <url><loc>${origin}${path}</loc></url>`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    "</urlset>",
    "",
  ].join("\n");
}
