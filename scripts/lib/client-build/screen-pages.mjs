// @ts-check
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The module that each screen of a fixed address loads, as `client/src/app/routes.tsx` has it. */
export const SCREEN_MODULES = {
  "/": "src/features/public/home-page.tsx",
  "/login": "src/features/auth/auth-page.tsx",
  "/register": "src/features/auth/auth-page.tsx",
  "/pricing": "src/features/payments/pricing-page.tsx",
  "/payment": "src/features/payments/payment-page.tsx",
  "/contact": "src/features/public/contact-page.tsx",
  "/performance": "src/features/performance/performance-page.tsx",
  "/ledger": "src/features/ledger/ledger-page.tsx",
  "/privacy": "src/features/public/legal-page.tsx",
  "/terms": "src/features/public/legal-page.tsx",
  "/forgot-password": "src/features/auth/password-pages.tsx",
  "/reset-password": "src/features/auth/password-pages.tsx",
  "/verify-email": "src/features/account/verify-email-page.tsx",
  "/user-panel": "src/features/account/account-page.tsx",
  "/dashboard": "src/app/dashboard-page.tsx",
  "/bot": "src/features/signals/bot-page.tsx",
  "/signal-history": "src/features/signals/history-page.tsx",
  "/admin": "src/features/admin/admin-page.tsx",
};

/** Screens of signed-in users need what keeps them up to date as well. */
const SIGNED_IN = ["/user-panel", "/dashboard", "/bot", "/signal-history", "/admin"];
const LIVE_MODULE = "src/app/signed-in.tsx";

/** Every screen's text is set in it; the other files of the family hold other scripts. */
const FONT = /geist-latin-wght-normal.*\.woff2$/;

/** What the server of the web pages answers every other address with. */
export const COMMON_PAGE = "app.html";

/** These say the same to every visitor, so the whole screen is in the page, not only the frame around it. */
const isWhole = (/** @type {string} */ path) =>
  PUBLIC_SCREENS.includes(path) || path === "/forgot-password";

/** @typedef {typeof import("../../../client/src/pre-render.tsx")} PreRender */
/** @typedef {{ file: string, imports?: string[], assets?: string[] }} Chunk */
/** @typedef {Record<string, Chunk>} Manifest Vite's list of what it has built */

/**
 * Writes a page of its own for each screen of the built client. It shows what the screen begins with before any script
 * has run. All of the screen's code is named in a template, which `public/before-paint.js` puts on the page once that is
 * painted: until then the code would only be in the way of styles and font. The page as it was is kept as the common one.
 *
 * @param {string} folder
 * @param {{ apiUrl: string, preRender: PreRender }} options
 * @throws if a screen's module is not among what was built, or it cannot be rendered
 */
export async function writeScreenPages(folder, { apiUrl, preRender }) {
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(join(folder, ".vite", "manifest.json"), "utf8"));
  const page = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(join(folder, COMMON_PAGE), page);
  for (const [path, screen] of Object.entries(SCREEN_MODULES)) {
    const modules = SIGNED_IN.includes(path) ? [screen, LIVE_MODULE] : [screen];
    const name = path === "/" ? "index.html" : `${path.slice(1)}.html`;
    const filled = await withContent(page, { path, preRender });
    const hinted = withHints(filled, [...fontHints(manifest), ...apiHints(path, apiUrl)]);
    writeFileSync(join(folder, name), withLateCode(hinted, codeHints(manifest, modules)));
  }
}

const ROOT = '<div id="root"></div>';
const TITLE = /<title>([^<]*)<\/title>/;
const DESCRIPTION = /name="description"\s+content="([^"]*)"/;

/**
 * The page with its screen in it, or with the frame around every screen. The application looks at what it says of that.
 *
 * @param {string} page
 * @param {{ path: string, preRender: PreRender }} options
 */
async function withContent(page, { path, preRender }) {
  if (!page.includes(ROOT)) throw new Error(`the page has no ${ROOT}`);
  if (!isWhole(path)) {
    const frame = preRender.renderFrame(path);
    return page.replace(ROOT, () => `<div id="root" data-frame="${path}">${frame}</div>`);
  }
  const { html, title, description } = await preRender.renderScreen(path);
  return page
    .replace(ROOT, () => `<div id="root" data-screen="${path}">${html}</div>`)
    .replace(TITLE, (whole) => (title ? `<title>${escapeHtml(title)}</title>` : whole))
    .replace(DESCRIPTION, (whole, common) =>
      description
        ? `name="description" content="${escapeHtml(description)}" data-common="${common}"`
        : whole,
    );
}

/** @param {string} text */
const escapeHtml = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/**
 * The page with links in its head.
 *
 * @param {string} page
 * @param {readonly string[]} hints
 */
const withHints = (page, hints) =>
  page.replace("</head>", `${hints.map((hint) => `  ${hint}\n`).join("")}  </head>`);

/** What Vite writes into a page to load its code. */
const CODE = /\s*(<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>)/g;

/**
 * The page with all that loads code in a template at its end, and further hints but those that are there already.
 *
 * @param {string} page
 * @param {readonly string[]} hints
 */
function withLateCode(page, hints) {
  const own = [...page.matchAll(CODE)].map(([, tag = ""]) => tag);
  const news = hints.filter((hint) => !own.some((tag) => tag.includes(`="${hrefOf(hint)}"`)));
  const template = `<template id="code">${[...news, ...own].join("")}</template>`;
  return page.replace(CODE, "").replace("</body>", `  ${template}\n  </body>`);
}

/** @param {string} hint */
const hrefOf = (hint) => /href="([^"]*)"/.exec(hint)?.[1] ?? "";

/**
 * @param {Manifest} manifest
 * @param {readonly string[]} modules
 */
function codeHints(manifest, modules) {
  /** @type {Set<string>} */
  const files = new Set();
  /** @param {string} key */
  const add = (key) => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`${key} is not among what was built`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const module of modules) add(module);
  return [...files].map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`);
}

/** @param {Manifest} manifest */
function fontHints(manifest) {
  const files = Object.values(manifest).flatMap(({ file, assets = [] }) => [file, ...assets]);
  const fonts = new Set(files.filter((file) => FONT.test(file)));
  return [...fonts].map(
    (file) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${file}">`,
  );
}

/**
 * @param {string} path
 * @param {string} apiUrl
 */
function apiHints(path, apiUrl) {
  const asksAtOnce = SIGNED_IN.includes(path);
  return asksAtOnce ? [`<link rel="preconnect" crossorigin href="${new URL(apiUrl).origin}">`] : [];
}

/** Screens that search engines are told of; all others belong to somebody, or to the link of a mail. */
const PUBLIC_SCREENS = ["/", "/pricing", "/contact", "/login", "/register", "/privacy", "/terms"];

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
