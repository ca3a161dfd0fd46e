import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compressFiles } from "./client-build.ts";
import { createWebHost } from "./serve-client.ts";

const PAGE = "<!doctype html><title>App</title>";
const HOME = "<!doctype html><title>Home</title>";
const SCRIPT = "console.log('a long script');\n".repeat(100);
let folder = "";
let host: Server;
let origin = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "web-host-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), HOME);
  writeFileSync(join(folder, "pricing.html"), HOME);
  writeFileSync(join(folder, "app.html"), PAGE);
  writeFileSync(join(folder, "assets/app-4f2a.js"), SCRIPT);
  writeFileSync(join(folder, "verify-ledger.html"), PAGE);
  await compressFiles(folder);
  host = createWebHost({ folder, apiUrl: "https://api.example.com:8443/base" });
  host.listen(0);
  await once(host, "listening");
  const address = host.address();
  origin = `http://localhost:${typeof address === "object" ? address?.port : ""}`;
});
afterAll(() => {
  host.close();
  rmSync(folder, { recursive: true });
});

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

  it("lets pages talk to the API and the market widgets only", async () => {
    const { headers } = await fetch(origin);
    const policy = headers.get("content-security-policy") ?? "";
    const directives = new Map(
      policy.split("; ").map((text) => [text.split(" ")[0], text.split(" ").slice(1).join(" ")]),
    );
    expect(directives.get("connect-src")).toBe(
      "'self' https://api.example.com:8443 wss://api.example.com:8443",
    );
    expect(directives.get("script-src")).toBe("'self' https://s3.tradingview.com");
    expect(directives.get("frame-ancestors")).toBe("'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
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
