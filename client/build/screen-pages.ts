import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minifySync, type Plugin } from "vite";
import { z } from "zod";
import { WIDGET_HEADERS, WIDGET_PATH } from "./web-headers.ts";

/** The module that each screen of a fixed address loads, as `client/src/app/routes.tsx` has it. */
export const SCREEN_MODULES = {
  "/": "src/features/public/home-page.tsx",
  "/login": "src/features/auth/auth-page.tsx",
  "/register": "src/features/auth/auth-page.tsx",
  "/pricing": "src/features/payments/pricing-page.tsx",
  "/payment": "src/features/payments/payment-page.tsx",
  "/contact": "src/features/public/contact-page.tsx",
  "/performance": "src/features/performance/performance-page.tsx",
  "/analyst": "src/features/performance/analyst-page.tsx",
  "/ledger": "src/features/ledger/ledger-page.tsx",
  "/privacy": "src/features/public/legal-page.tsx",
  "/terms": "src/features/public/legal-page.tsx",
  "/forgot-password": "src/features/auth/password-pages.tsx",
  "/reset-password": "src/features/auth/password-pages.tsx",
  "/verify-email": "src/features/account/email-link-pages.tsx",
  "/unsubscribe": "src/features/account/email-link-pages.tsx",
  "/user-panel": "src/app/user-panel-page.tsx",
  "/dashboard": "src/app/dashboard-page.tsx",
  "/bot": "src/features/bot/bot-page.tsx",
  "/watchlist": "src/features/watchlist/watchlist-page.tsx",
  "/signal-history": "src/features/history/history-page.tsx",
  "/results": "src/features/results/results-page.tsx",
  "/offline": "src/features/history/offline-page.tsx",
  "/admin": "src/features/admin/admin-pages.tsx",
};

const LISTED_SCREENS = ["/", "/pricing", "/contact", "/login", "/register", "/privacy", "/terms"];
const SIGNED_IN_SCREENS = [
  "/dashboard",
  "/user-panel",
  "/bot",
  "/watchlist",
  "/signal-history",
  "/results",
  "/offline",
  "/admin",
];
const EMAIL_SCREENS = ["/reset-password", "/verify-email", "/unsubscribe"];

/** Keeps the screens of signed-in users up to date. */
const LIVE_MODULE = "src/app/signed-in.tsx";

/** Every screen needs the Latin text. */
const FONT = /geist-latin-wght-normal.*\.woff2$/;

export const COMMON_PAGE = "app.html";

/** The page of a shared signal. The web host puts the token of the address into it. */
export const SHARED_PAGE = "shared.html";

/** As a template of Caddy, which fills it in too, see `deploy/Caddyfile`. */
export const TOKEN_PLACEHOLDER = "{{placeholder `http.regexp.shared.1`}}";

const SHARED_META = {
  "og:title": "A trading signal",
  "og:description": "Direction, levels and outcome. Not financial advice.",
  "og:image:alt": "The signal with its direction, levels and outcome.",
};

function sharedPage(page: string, apiUrl: string): string {
  const image = `${apiUrl.replace(/\/$/, "")}/shared/${TOKEN_PLACEHOLDER}/image.png`;
  const meta = Object.entries({ ...SHARED_META, "og:image": image });
  return meta.reduce((text, [property, content]) => {
    const tag = new RegExp(`(property="${property}"\\s+content=")[^"]*`);
    if (!tag.test(text)) throw new Error(`the page has no ${property}`);
    return text.replace(tag, (_, start) => start + content);
  }, page);
}

type PreRender = typeof import("../src/pre-render.tsx");

const manifestSchema = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    assets: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
);
type Manifest = z.infer<typeof manifestSchema>;

/**
 * Writes a page for each screen of the built client, which shows the beginning of the screen before any script has run. The
 * screen's files of code are listed in a template, which `public/theme-init.js` adds to the page after the first paint, so
 * that they do not delay styles and font. Each is a script, so that it runs in a task of its own and the page stays responsive.
 * @throws Error if a screen's module was not built
 */
export async function writeScreenPages(
  folder: string,
  apiUrl: string,
  preRender: PreRender,
): Promise<void> {
  const manifest = readManifest(folder);
  const page = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(join(folder, COMMON_PAGE), page);
  writeFileSync(join(folder, SHARED_PAGE), sharedPage(page, apiUrl));
  for (const [path, screen] of Object.entries(SCREEN_MODULES)) {
    const isSignedIn = SIGNED_IN_SCREENS.includes(path);
    const modules = isSignedIn ? [screen, LIVE_MODULE] : [screen];
    const links = [
      ...fontLinks(manifest),
      ...(isSignedIn
        ? [`<link rel="preconnect" crossorigin href="${new URL(apiUrl).origin}">`]
        : []),
    ];
    const rendered = await renderInto(page, path, preRender);
    const linked = rendered.replace("</head>", `  ${links.join("\n  ")}\n  </head>`);
    const name = path === "/" ? "index.html" : `${path.slice(1)}.html`;
    writeFileSync(join(folder, name), deferCode(linked, filesOf(manifest, modules)));
  }
}

function readManifest(folder: string): Manifest {
  const file = join(folder, ".vite", "manifest.json");
  return manifestSchema.parse(JSON.parse(readFileSync(file, "utf8")));
}

const OFFLINE_SCREEN = "/offline";

/** Files that the offline page needs, relative to the folder of the pages. */
export function offlineFiles(folder: string): string[] {
  const manifest = readManifest(folder);
  const scripts = filesOf(manifest, [SCREEN_MODULES[OFFLINE_SCREEN], LIVE_MODULE, "index.html"]);
  const chunks = Object.values(manifest).filter(({ file }) => scripts.includes(file));
  const styles = chunks.flatMap(({ css, assets }) => [...css, ...assets.filter(isFont)]);
  const page = [`${OFFLINE_SCREEN.slice(1)}.html`, FIRST_SCRIPT, "favicon.svg", "icon-192.png"];
  return [...new Set([...page, ...scripts, ...styles])];
}

const isFont = (file: string): boolean => FONT.test(file);

const ROOT = '<div id="root"></div>';
const TITLE = /<title>([^<]*)<\/title>/;
const DESCRIPTION = /name="description"\s+content="([^"]*)"/;

/** Renders the whole screen if it is the same for all visitors, otherwise only the frame around it. */
async function renderInto(page: string, path: string, preRender: PreRender): Promise<string> {
  if (!page.includes(ROOT)) throw new Error(`the page has no ${ROOT}`);
  if (!LISTED_SCREENS.includes(path) && path !== "/forgot-password") {
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

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const CODE = /\s*(<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>)/g;

function deferCode(page: string, files: readonly string[]): string {
  const own = [...page.matchAll(CODE)].map(([, tag = ""]) => tag);
  const further = files
    .filter((file) => !own.some((tag) => tag.includes(`="/${file}"`)))
    .map((file) => `<script type="module" crossorigin src="/${file}"></script>`);
  const template = `<template id="code">${[...further, ...own].join("")}</template>`;
  return page.replace(CODE, "").replace("</body>", `  ${template}\n  </body>`);
}

/** What others import comes first. */
function filesOf(manifest: Manifest, modules: readonly string[]): string[] {
  const seen = new Set<string>();
  const files: string[] = [];
  const add = (key: string) => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`${key} is not among what was built`);
    if (seen.has(key)) return;
    seen.add(key);
    chunk.imports.forEach(add);
    files.push(chunk.file);
  };
  modules.forEach(add);
  return files;
}

function fontLinks(manifest: Manifest): string[] {
  const files = Object.values(manifest).flatMap(({ file, assets }) => [file, ...assets]);
  const fonts = new Set(files.filter(isFont));
  return [...fonts].map(
    (file) => `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${file}">`,
  );
}

const FIRST_SCRIPT = "theme-init.js";

/** Stands in `client/index.html` for the address of the API, which has what the operator's product is called. */
const PLACEHOLDER = "%API_URL%";

/**
 * Adds what search engines and link previews read, and minifies the first script, which Vite would copy as it is. In
 * development, it sends the headers that isolate the widgets.
 */
export function siteFiles({ origin, apiUrl }: { origin: string; apiUrl: string }): Plugin {
  return {
    name: "site-files",
    apply: (_, { isSsrBuild }) => !isSsrBuild,
    transformIndexHtml: (html) => html.replaceAll(PLACEHOLDER, apiUrl.replace(/\/$/, "")),
    configureServer({ middlewares }) {
      const headers = new Map(Object.entries(WIDGET_HEADERS));
      middlewares.use(WIDGET_PATH, (_, response, next) => {
        response.setHeaders(headers);
        next();
      });
    },
    generateBundle() {
      const script = join(this.environment.config.publicDir, FIRST_SCRIPT);
      const { code } = minifySync(FIRST_SCRIPT, readFileSync(script, "utf8"));
      this.emitFile({ type: "asset", fileName: FIRST_SCRIPT, source: code });
      this.emitFile({ type: "asset", fileName: "robots.txt", source: robots(origin) });
      this.emitFile({ type: "asset", fileName: "sitemap.xml", source: sitemap(origin) });
    },
  };
}

function robots(origin: string): string {
  const closed = [...SIGNED_IN_SCREENS, ...EMAIL_SCREENS].map((path) => `Disallow: ${path}`);
  return ["User-agent: *", ...closed, "", `Sitemap: ${origin}/sitemap.xml`, ""].join("\n");
}

function sitemap(origin: string): string {
  const urls = LISTED_SCREENS.map((path) => `  <url><loc>${origin}${path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("\n")}
</urlset>
`;
}
