import { expect, it, onTestFinished } from "vitest";
import { answerOk, serve } from "../testing/serve.ts";
import { securityHeaders } from "./security-headers.ts";

it("forbids browsers to run, frame, sniff or cache what the API answers", async () => {
  const server = await serve(securityHeaders, answerOk);
  onTestFinished(server.close);
  const { headers } = await fetch(server.url);
  expect(headers.get("Content-Security-Policy")).toBe("default-src 'none';frame-ancestors 'none'");
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Strict-Transport-Security")).toMatch(/^max-age=\d+/);
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect(headers.get("X-Powered-By")).toBeNull();
});
