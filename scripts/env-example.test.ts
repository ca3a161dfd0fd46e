import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { INSTRUMENT_CLASSES, type InstrumentClass } from "@shared/contract/instruments.ts";
import { loadSettings, SECRET_SETTINGS } from "@shared/runtime/settings.ts";
import { describe, expect, it } from "vitest";
import { projectRoot } from "./lib/prepare-project.mjs";

const text = readFileSync(join(projectRoot, ".env.example"), "utf8");
/** Given to both sides, so that no secrets are made on disk. */
const secrets = {
  JWT_SECRET: "x".repeat(32),
  ADMIN_PASSWORD: "password",
  VAPID_PUBLIC_KEY: Buffer.alloc(65, 4).toString("base64url"),
};

const defaults = parseEnv(text.replaceAll(/^#(?=[A-Z_]+=)/gm, ""));
const examples = parseEnv(
  [...text.matchAll(/^# example: (.*)$/gm)].map((match) => match[1]).join("\n"),
);

/** One setting for each class. */
const costsOf = (name: InstrumentClass) => `TRADING_COSTS_${name.toUpperCase()}`;

describe(".env.example", () => {
  it("changes nothing when copied as it is", () => {
    expect(parseEnv(text)).toEqual({});
  });

  it("shows the true defaults", () => {
    expect(loadSettings({ ...defaults, ...secrets })).toEqual(loadSettings(secrets));
  });

  it("shows examples that are accepted", () => {
    const { NODE_ENV } = loadSettings({ ...examples, ...secrets });
    expect(NODE_ENV).toBe("development");
  });

  it("knows every setting", () => {
    const settings = loadSettings({ ...defaults, ...examples, ...secrets });
    const names = Object.keys(settings).flatMap((name) =>
      name === "TRADING_COSTS" ? INSTRUMENT_CLASSES.map(costsOf) : name,
    );
    expect(Object.keys({ ...defaults, ...examples }).sort()).toEqual(names.sort());
  });

  it("names no secret that logs would show", () => {
    const named = Object.keys({ ...defaults, ...examples }).filter((name) =>
      /_(SECRET|PASSWORD|PASSPHRASE|TOKEN|KEY)$/.test(name),
    );
    const shown = named.filter((name) => !SECRET_SETTINGS.includes(name));
    expect(shown.sort()).toEqual(["USDT_EVM_TOKEN", "VAPID_PUBLIC_KEY"]);
  });
});
