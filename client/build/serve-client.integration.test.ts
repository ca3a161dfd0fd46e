import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SECURITY_HEADERS } from "@shared/runtime/security-headers.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compressFiles } from "./client-build.ts";
import { TOKEN_PLACEHOLDER } from "./screen-pages.ts";
import { createWebHost } from "./serve-client.ts";
import { caddySnippet, pageHeaders, WIDGET_HEADERS, WIDGET_PATH } from "./web-headers.ts";

const PAGE = "<!doctype html><title>App</title>";
const HOME = "<!doctype html><title>Home</title>";
const SCRIPT = "console.log('a long script');\n".repeat(100);
const SETTINGS = {
  VITE_API_URL: "https://api.example.com:8443/base",
  VITE_CONTACT_EMAIL: "security@example.com",
  CLIENT_ORIGIN: ["http://localhost:5173", "https://example.com/app"],
};
const NOW = new Date("2027-05-06T07:08:09Z");
let folder = "";
let host: Server;
let origin = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "web-host-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), HOME);
  writeFileSync(join(folder, "pricing.html"), HOME);
  writeFileSync(join(folder, "app.html"), PAGE);
  const image = `/shared/${TOKEN_PLACEHOLDER}/image.png`;
  writeFileSync(join(folder, "shared.html"), `<meta content="${image}">`);
  writeFileSync(join(folder, "assets/app-4f2a.js"), SCRIPT);
  writeFileSync(join(folder, "verify-ledger.html"), PAGE);
  writeFileSync(join(folder, WIDGET_PATH), PAGE);
  await compressFiles(folder);
  host = createWebHost(folder, SETTINGS, () => NOW);
  host.listen(0);
  await once(host, "listening");
  const address = host.address();
  origin = `http://localhost:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(() => {
  host.close();
  rmSync(folder, { recursive: true });
});

/** The directives of the content policy that a path is sent with. */
async function policyOf(path: string): Promise<Map<string, string>> {
  const { headers } = await fetch(origin + path);
  const directives = (headers.get("content-security-policy") ?? "").split("; ");
  return new Map(
    directives.map((text) => {
      const [name = "", ...values] = text.split(" ");
      return [name, values.join(" ")];
    }),
  );
}

describe("the web host", () => {
  it.each(["/no-such-page", "/bot", "/signal-history", "/reset-password?token=a.b"])(
    "answers %s with the application, to be asked for again each time",
    async (path) => {
      const answer = await fetch(origin + path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(PAGE);
      expect(answer.headers.get("cache-control")).toBe("no-cache");
    },
  );

  it.each(["/", "/pricing"])("answers %s with the page of its screen", async (path) => {
    const answer = await fetch(origin + path);
    expect(await answer.text()).toBe(HOME);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
  });

  it("puts the token of a shared signal into its page, and nothing else", async () => {
    const token = "A-_9".padEnd(43, "x");
    const answer = await fetch(`${origin}/shared/${token}`);
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(await answer.text()).toBe(`<meta content="/shared/${token}/image.png">`);
    expect(await (await fetch(`${origin}/shared/%22%3E${token.slice(5)}`)).text()).toBe(PAGE);
  });

  it("lets browsers keep built files for good", async () => {
    const answer = await fetch(`${origin}/assets/app-4f2a.js`);
    expect(await answer.text()).toBe(SCRIPT);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  });

  it.each(["br", "gzip"])("sends built files compressed as %s", async (encoding) => {
    const headers = { "Accept-Encoding": encoding };
    const answer = await fetch(`${origin}/assets/app-4f2a.js`, { headers });
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(await answer.text()).toBe(SCRIPT);
  });

  it("gives the offline verifier to be saved, not to be opened here", async () => {
    const answer = await fetch(`${origin}/verify-ledger.html`);
    expect(answer.headers.get("content-disposition")).toBe("attachment");
    expect((await fetch(`${origin}/bot`)).headers.get("content-disposition")).toBeNull();
  });

  it("has no page in place of a missing file", async () => {
    expect((await fetch(`${origin}/assets/gone.js`)).status).toBe(404);
  });

  it("lets pages run their own scripts and talk to the API only", async () => {
    const policy = await policyOf("/");
    expect(policy.get("connect-src")).toBe(
      "'self' https://api.example.com:8443 wss://api.example.com:8443",
    );
    expect(policy.get("default-src")).toBe("'self'");
    for (const name of ["script-src", "frame-src"]) expect(policy.has(name)).toBe(false);
    expect(policy.get("base-uri")).toBe("'none'");
    expect(policy.get("object-src")).toBe("'none'");
    expect(policy.get("frame-ancestors")).toBe("'none'");
    expect(policy.get("require-trusted-types-for")).toBe("'script'");
    expect(policy.get("trusted-types")).toBe("service-worker");
  });

  it("keeps the widget page apart from the others, however it is opened", async () => {
    const policy = await policyOf("/widget.html?ticker-tape");
    expect(policy.get("sandbox")).toBe("allow-scripts allow-popups allow-popups-to-escape-sandbox");
    expect(policy.get("default-src")).toBe("'none'");
    expect(policy.get("script-src")).toMatch(/^'sha256-\S{44}' https:\/\/s3\.tradingview\.com$/);
    expect(policy.get("frame-ancestors")).toBe("'self'");
    // Without the headers of the widget page, it must not load foreign scripts.
    for (const path of ["/widget", "/widget%2ehtml", "//widget.html"]) {
      expect((await policyOf(path)).get("default-src")).toBe("'self'");
    }
  });

  it.each(["/", "/pricing", "/assets/app-4f2a.js", "/assets/gone.js", "/widget.html", "/healthz"])(
    "sends %s with the headers of all responses",
    async (path) => {
      const { headers } = await fetch(origin + path);
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
        const isOwn = path === "/widget.html" && WIDGET_HEADERS[name] !== value;
        expect(headers.get(name)).toBe(isOwn ? WIDGET_HEADERS[name] : value);
      }
      expect(headers.get("Referrer-Policy")).toBe("strict-origin-when-cross-origin");
    },
  );

  it("says where to report a vulnerability", async () => {
    const answer = await fetch(`${origin}/.well-known/security.txt`);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await answer.text()).toBe(
      [
        "Contact: mailto:security@example.com",
        "Expires: 2027-12-31T23:59:59Z",
        "Preferred-Languages: en",
        "Canonical: https://example.com/.well-known/security.txt",
        "",
      ].join("\n"),
    );
  });

  it("gives Caddy the same headers and contact", () => {
    const snippet = caddySnippet(SETTINGS);
    for (const headers of [pageHeaders(SETTINGS), WIDGET_HEADERS]) {
      const lines = Object.entries(headers).map(([name, value]) => `\t${name} "${value}"\n`);
      expect(snippet).toContain(lines.join(""));
    }
    expect(snippet).toContain(
      "Contact: mailto:security@example.com\nExpires: {time.now.year}-12-31",
    );
  });

  it("says that it is up", async () => {
    const answer = await fetch(`${origin}/healthz`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe("ok");
  });

  it("takes nothing but GET and HEAD", async () => {
    expect((await fetch(origin, { method: "POST" })).status).toBe(405);
    expect((await fetch(origin, { method: "HEAD" })).status).toBe(200);
  });
});
