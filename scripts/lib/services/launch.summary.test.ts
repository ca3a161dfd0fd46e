import { describe, expect, it } from "vitest";
import { loadSettings } from "../../../shared/runtime/settings.ts";
import { startSummary } from "./launch.ts";

const env = { JWT_SECRET: "x".repeat(32), ADMIN_PASSWORD: "open-sesame", CLIENT_PORT: "5999" };

describe("what is printed after the start", () => {
  it("has both addresses and how to sign in", () => {
    const text = startSummary(loadSettings(env), { isPasswordGiven: false });
    expect(text).toContain("http://localhost:5999");
    expect(text).toContain("http://localhost:8000");
    expect(text).toContain("admin with password open-sesame");
  });

  it("does not show a password that was given", () => {
    const text = startSummary(loadSettings(env), { isPasswordGiven: true });
    expect(text).not.toContain("open-sesame");
  });

  it("never shows a password in production", () => {
    const settings = loadSettings({
      ...env,
      ADMIN_PASSWORD: "open-sesame-twice",
      NODE_ENV: "production",
      EMBEDDED_DATABASE: "on",
      SMTP_URL: "smtp://localhost",
    });
    expect(startSummary(settings, { isPasswordGiven: false })).not.toContain("open-sesame");
  });
});
