import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../scripts/lib/prepare-project.mjs";
import { compressFiles } from "./client-build.ts";
import { siteFiles } from "./screen-pages.ts";
import { createWebHost } from "./serve-client.ts";

const ORIGIN = "https://signals.example.com";
const API = "https://api.example.com";
let folder = "";
let host: Server;
let served = "";

/** The real page head and public folder, without the application behind them. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "site-files-"));
  const page = join(projectRoot, "client/index.html");
  await build({
    configFile: false,
    root: join(projectRoot, "client"),
    logLevel: "silent",
    build: { outDir: folder, emptyOutDir: true, rollupOptions: { input: page } },
    plugins: [withoutApplication, siteFiles({ origin: ORIGIN, apiUrl: API })],
  });
  await compressFiles(folder);
  host = createWebHost(folder, {
    VITE_API_URL: API,
    VITE_CONTACT_EMAIL: "security@example.com",
    CLIENT_ORIGIN: [ORIGIN],
  });
  host.listen(0);
  await once(host, "listening");
  const address = host.address();
  served = `http://localhost:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(() => {
  host.close();
  rmSync(folder, { recursive: true });
});

const withoutApplication = {
  name: "without-application",
  enforce: "pre",
  load: (id: string) => (id.endsWith("/src/main.tsx") ? "" : null),
} as const;

const get = async (path: string) => {
  const answer = await fetch(served + path);
  expect(answer.status).toBe(200);
  return { answer, type: answer.headers.get("content-type") ?? "" };
};
const metaOf = (page: string, name: string) =>
  page.match(new RegExp(`(?:property|name)="${name}"\\s+content="([^"]+)"`))?.[1];

describe("what previews of links and search engines get", () => {
  it("is a title, a text and an image under its full address", async () => {
    const page = await (await get("/")).answer.text();
    expect(metaOf(page, "og:title")).toBe("AI-Powered Trading Signals");
    expect(metaOf(page, "og:description")).toMatch(/entry, stop, target/);
    expect(metaOf(page, "og:image")).toBe(`${API}/branding/preview.png`);
    expect(metaOf(page, "twitter:card")).toBe("summary_large_image");
  });

  it.each([
    ["/icon-192.png", 192, 192],
    ["/icon-512.png", 512, 512],
    ["/icon-maskable-192.png", 192, 192],
    ["/icon-maskable-512.png", 512, 512],
    ["/apple-touch-icon.png", 180, 180],
  ])("%s is a small image of %i × %i", async (path, width, height) => {
    const { answer, type } = await get(path);
    expect(type).toBe("image/png");
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(await sharp(bytes).metadata()).toMatchObject({ format: "png", width, height });
    expect(bytes.length).toBeLessThan(60_000);
  });

  it("is the API's manifest, which says what the operator calls the product", async () => {
    const page = await (await get("/")).answer.text();
    expect(page).toContain(`rel="manifest" href="${API}/branding/manifest.webmanifest"`);
  });

  it("is a list of the public screens, and a word about the others", async () => {
    const robots = await get("/robots.txt");
    expect(robots.type).toContain("text/plain");
    const text = await robots.answer.text();
    expect(text).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`);
    expect(text).toContain("Disallow: /admin");
    const sitemap = await get("/sitemap.xml");
    expect(sitemap.type).toContain("xml");
    const urls = await sitemap.answer.text();
    expect(urls).toContain(`<loc>${ORIGIN}/pricing</loc>`);
    expect(urls).not.toContain("/dashboard");
  });

  it("puts the theme on the page by a script that the content policy allows", async () => {
    const { answer, type } = await get("/");
    expect(type).toContain("text/html");
    expect(await answer.text()).toMatch(/<script src="\/theme-init\.js">[\s\S]*<title>/);
    const script = await get("/theme-init.js");
    expect(script.type).toContain("javascript");
    const code = await script.answer.text();
    expect(code).toContain("themechoice");
    expect(code, "it is minified").not.toMatch(/\n|\/\//);
    expect(readFileSync(join(folder, "index.html"), "utf8")).not.toContain("%PUBLIC_ORIGIN%");
  });
});
