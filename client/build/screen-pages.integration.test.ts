import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/prepare-project.mjs";
import { SCREEN_MODULES, TOKEN_PLACEHOLDER, writeScreenPages } from "./screen-pages.ts";

const ENTRY = '<script type="module" crossorigin src="/assets/index-1.js"></script>';
const SHARED = '<link rel="modulepreload" crossorigin href="/assets/react-1.js">';
const DESCRIPTION = '<meta name="description" content="All of it." />';
const PREVIEW = ["title", "description", "image", "image:alt"]
  .map((name) => `<meta property="og:${name}" content="Of the product" />`)
  .join("");
const HEAD = `<head>${DESCRIPTION}${PREVIEW}<title>Product</title>${ENTRY}${SHARED}</head>`;
const PAGE = `<html>${HEAD}<body><div id="root"></div></body></html>`;

/** Stands in for the application built for Node. */
const preRender = {
  renderScreen: async (path: string) => ({
    html: `<h1>$& ${path}</h1>`,
    title: path === "/" ? "" : `Title of ${path}`,
    description: path === "/pricing" ? 'From "$50"' : "",
  }),
  renderFrame: (path: string) => `<header>${path}</header>`,
};

let folder = "";
const manifest = {
  ...Object.fromEntries(
    [...Object.values(SCREEN_MODULES), "src/app/signed-in.tsx"].map((module) => [
      module,
      { file: `assets/${module.split("/").at(-1)}.js`, imports: ["index.html", "_react.js"] },
    ]),
  ),
  "index.html": { file: "assets/index-1.js", assets: ["assets/geist-latin-wght-normal-1.woff2"] },
  "_react.js": { file: "assets/react-1.js" },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "screen-pages-"));
  mkdirSync(join(folder, ".vite"));
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, ".vite/manifest.json"), JSON.stringify(manifest));
});
afterEach(() => rmSync(folder, { recursive: true }));

const pageOf = (name: string) => readFileSync(join(folder, name), "utf8");
const write = () => writeScreenPages(folder, "https://api.example.com/base", preRender);

describe("the pages of the screens", () => {
  it("name the code of their screen, and what the page has already only once", async () => {
    await write();
    expect(pageOf("pricing.html")).toContain('src="/assets/pricing-page.tsx.js"');
    expect(pageOf("index.html")).toContain('src="/assets/home-page.tsx.js"');
    expect(pageOf("pricing.html").match(/react-1\.js/g)).toHaveLength(1);
    expect(pageOf("pricing.html").match(/index-1\.js/g)).toHaveLength(1);
  });

  it("hold what can be shown at once, and keep the code for later", async () => {
    await write();
    const pricing = pageOf("pricing.html");
    expect(pricing).toContain('<div id="root" data-screen="/pricing"><h1>$& /pricing</h1></div>');
    expect(pageOf("bot.html")).toContain('<div id="root" data-frame="/bot"><header>/bot</header>');
    const [before, template] = pricing.split('<template id="code">');
    expect(template).toContain(ENTRY);
    expect(template).toContain(SHARED);
    expect(before).not.toMatch(/<script|modulepreload/);
  });

  it("say what their screen is about, with what is said elsewhere beside it", async () => {
    await write();
    const pricing = pageOf("pricing.html");
    expect(pricing).toContain("<title>Title of /pricing</title>");
    expect(pricing).toContain('content="From &quot;$50&quot;" data-common="All of it."');
    expect(pageOf("index.html")).toContain("<title>Product</title>");
    expect(pageOf("index.html")).toContain(DESCRIPTION);
  });

  it("leave the page as it was for all other addresses", async () => {
    await write();
    expect(pageOf("app.html")).toBe(PAGE);
  });

  it("have a link preview of their own where a signal is shared", async () => {
    await write();
    const shared = pageOf("shared.html");
    expect(shared).toContain(
      `og:image" content="https://api.example.com/base/shared/${TOKEN_PLACEHOLDER}/image.png"`,
    );
    expect(shared).not.toContain("Of the product");
  });

  it("have the font fetched early, and the API greeted where it is asked at once", async () => {
    await write();
    expect(pageOf("login.html")).toContain(
      'as="font" type="font/woff2" crossorigin href="/assets/geist',
    );
    expect(pageOf("login.html")).not.toContain("api.example.com");
    expect(pageOf("bot.html")).toContain(
      'rel="preconnect" crossorigin href="https://api.example.com"',
    );
    expect(pageOf("bot.html")).toContain('src="/assets/signed-in.tsx.js"');
  });

  it("fail the build if a screen's code has moved", async () => {
    const built: Record<string, object> = manifest;
    const { "src/features/bot/bot-page.tsx": _, ...rest } = built;
    writeFileSync(join(folder, ".vite/manifest.json"), JSON.stringify(rest));
    await expect(write()).rejects.toThrow(
      "src/features/bot/bot-page.tsx is not among what was built",
    );
  });

  it("are there for every screen of a fixed address in the router, except parts of administration", () => {
    const router = readFileSync(join(projectRoot, "client/src/app/routes.tsx"), "utf8");
    const paths = [...router.matchAll(/screen\(\s*"(\/[^":]*)"/g)].map(([, path]) => path);
    const parts = paths.filter((path) => path?.startsWith("/admin/"));
    const expected = paths.filter((path) => !parts.includes(path) && path !== "/security-log");
    expect(parts.length).toBeGreaterThan(0);
    expect(Object.keys(SCREEN_MODULES).toSorted()).toEqual(expected.toSorted());
  });
});
