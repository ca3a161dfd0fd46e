import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import {
  DEFAULT_MODEL,
  loadDeliverySettings,
  loadSettings,
  loadWorkerSettings,
  readDotEnv,
  SettingsError,
} from "./settings.ts";

const loadWith = (env: NodeJS.ProcessEnv) =>
  loadSettings({
    JWT_SECRET: "a test secret of more than 32 characters",
    ADMIN_PASSWORD: "correct horse",
    VAPID_PUBLIC_KEY: Buffer.alloc(65, 4).toString("base64url"),
    ...env,
  });
/** The least that production requires. */
const PRODUCTION = {
  NODE_ENV: "production",
  MONGODB_URI: "mongodb://db.example.com/signals",
  SMTP_URL: "smtps://mail.example.com",
};
const load = (MONGODB_URI: string) => loadWith({ MONGODB_URI });

it("a setting can be in a file, as secrets are that a vault mounts", () => {
  const file = join(mkdtempSync(join(tmpdir(), "secrets-")), "jwt");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, "a secret in a file, of more than 32 characters\n");
  const settings = loadWith({ ...PRODUCTION, JWT_SECRET: "", JWT_SECRET_FILE: file });
  expect(settings.JWT_SECRET).toBe("a secret in a file, of more than 32 characters");
});

it.each([
  ["one member", "mongodb://localhost:27017/signals?replicaSet=rs0"],
  ["all members of a replica set", "mongodb://a:27017,b:27017,c:27017/signals?replicaSet=rs0"],
  ["members behind a password", "mongodb://me:p%40ss@a:27017,b:27017/signals?replicaSet=rs0"],
  ["a cluster in DNS", "mongodb+srv://me:secret@cluster0.example.net/signals"],
])("the address of the database may name %s", (_, address) => {
  expect(load(address).MONGODB_URI).toBe(address);
});

it.each(["localhost:27017", "postgres://localhost/signals", "mongodb://", "mongodb:// a/signals"])(
  "%s is no address of a database, and the setting is named",
  (address) => {
    expect(() => load(address)).toThrow(
      new SettingsError("MONGODB_URI: must be a mongodb:// address"),
    );
  },
);

it.each([
  ["live data", { MARKET_DATA: "live" }, 3],
  ["production", PRODUCTION, 3],
  ["a demo", {}, 0],
  ["recorded candles", { ...PRODUCTION, MARKET_DATA: "replay" }, 0],
  ["a test", { NODE_ENV: "test", MARKET_DATA: "live" }, 0],
  ["live data with calendars off", { MARKET_DATA: "live", LEDGER_CALENDARS: "off" }, 0],
])("%s has its number of calendars", (_, env, count) => {
  expect(loadWith(env).LEDGER_CALENDARS).toHaveLength(count);
});

it("calendars are named as their proofs name them, without a slash at the end", () => {
  const LEDGER_CALENDARS = "https://one.example/, http://127.0.0.1:9000/path";
  expect(loadWith({ LEDGER_CALENDARS }).LEDGER_CALENDARS).toEqual([
    "https://one.example",
    "http://127.0.0.1:9000/path",
  ]);
});

it.each(["one.example", "https://one.example, two", "https://one.example?key=1", ",", "on"])(
  "%s does not name calendars, and the setting is named",
  (LEDGER_CALENDARS) => {
    expect(() => loadWith({ LEDGER_CALENDARS })).toThrow(
      new SettingsError("LEDGER_CALENDARS: must be http(s) addresses, or off"),
    );
  },
);

it.each([
  "/srv/heads.git",
  "https://example.com/acme/heads.git",
  "ssh://git@example.com/acme/heads.git",
  "git@example.com:acme/heads.git",
])("%s is a git repository", (LEDGER_GIT_REPOSITORY) => {
  expect(loadWith({ LEDGER_GIT_REPOSITORY }).LEDGER_GIT_REPOSITORY).toBe(LEDGER_GIT_REPOSITORY);
});

it.each([
  ["heads.git", "must be an absolute path, an https:// or ssh:// address, or git@host:path"],
  ["--upload-pack=/bin/true", "must be an absolute path"],
  ["ssh://-oProxyCommand=x/heads.git", "must be an absolute path"],
  ["ext::sh -c true", "must be an absolute path"],
  ["https://me:secret@example.com/heads.git", "must not contain a user or password"],
])("%s is not a git repository, and the setting is named", (LEDGER_GIT_REPOSITORY, reason) => {
  expect(() => loadWith({ LEDGER_GIT_REPOSITORY })).toThrow(`LEDGER_GIT_REPOSITORY: ${reason}`);
});

it("a watchlist has 20 items of 15 minutes or longer, unless it is set otherwise", () => {
  const watchlist = (env: NodeJS.ProcessEnv) => {
    const { WATCHLIST_LIMIT, WATCH_MIN_TIMEFRAME } = loadWith(env);
    return { WATCHLIST_LIMIT, WATCH_MIN_TIMEFRAME };
  };
  expect(watchlist({})).toEqual({ WATCHLIST_LIMIT: 20, WATCH_MIN_TIMEFRAME: "15m" });
  const set = { WATCHLIST_LIMIT: "1", WATCH_MIN_TIMEFRAME: "1m" };
  expect(watchlist(set)).toEqual({ WATCHLIST_LIMIT: 1, WATCH_MIN_TIMEFRAME: "1m" });
});

it.each([
  { WATCHLIST_LIMIT: "0" },
  { WATCHLIST_LIMIT: "2.5" },
  { WATCHLIST_LIMIT: "1001" },
  { WATCH_MIN_TIMEFRAME: "1x" },
])("%o is no watchlist, and the setting is named", (env) => {
  expect(() => loadWith(env)).toThrow(new RegExp(`^${Object.keys(env)[0]}: `));
});

const PRICES = { OPENAI_PRICE_PROMPT: "0.25", OPENAI_PRICE_COMPLETION: "2" };

it.each([
  ["by default", {}, { OPENAI_BUDGET_USD_PER_DAY: undefined, OPENAI_MAX_OUTPUT_TOKENS: 4_000 }],
  [
    "for any server by default",
    {},
    { OPENAI_MODEL: DEFAULT_MODEL, OPENAI_RESPONSE_FORMAT: "auto", OPENAI_TIMEOUT_S: 45 },
  ],
  [
    "for one server",
    { OPENAI_RESPONSE_FORMAT: "text", OPENAI_TIMEOUT_S: "20", OPENAI_REASONING_EFFORT: "low" },
    { OPENAI_RESPONSE_FORMAT: "text", OPENAI_TIMEOUT_S: 20, OPENAI_REASONING_EFFORT: "low" },
  ],
  ["as set", { OPENAI_MAX_OUTPUT_TOKENS: "900" }, { OPENAI_MAX_OUTPUT_TOKENS: 900 }],
  ["with one sample by default", {}, { OPENAI_SAMPLES: 1 }],
  ["with several samples", { OPENAI_SAMPLES: "5" }, { OPENAI_SAMPLES: 5 }],
  [
    "with both prices",
    { ...PRICES, OPENAI_BUDGET_USD_PER_DAY: "2.50" },
    { OPENAI_BUDGET_USD_PER_DAY: 2.5, OPENAI_PRICE_PROMPT: 0.25, OPENAI_PRICE_COMPLETION: 2 },
  ],
  [
    "with a model that costs nothing",
    { OPENAI_PRICE_PROMPT: "0", OPENAI_PRICE_COMPLETION: "0", OPENAI_BUDGET_USD_PER_DAY: "1" },
    { OPENAI_BUDGET_USD_PER_DAY: 1, OPENAI_PRICE_PROMPT: 0 },
  ],
  [
    "without a limit for each user",
    { ANALYSES_PER_USER_PER_DAY: "off" },
    { ANALYSES_PER_USER_PER_DAY: null },
  ],
])("the limits of the AI are read: %s", (_, env, expected) => {
  const settings = loadWith(env);
  expect({ ...settings, ...expected }).toEqual(settings);
});

it.each([
  [
    "without prices",
    { OPENAI_BUDGET_USD_PER_DAY: "5" },
    "OPENAI_PRICE_PROMPT and OPENAI_PRICE_COMPLETION: are required with OPENAI_BUDGET_USD_PER_DAY",
  ],
  [
    "with empty prices",
    { OPENAI_BUDGET_USD_PER_DAY: "5", OPENAI_PRICE_PROMPT: "", OPENAI_PRICE_COMPLETION: "" },
    "OPENAI_PRICE_PROMPT and OPENAI_PRICE_COMPLETION: are required with OPENAI_BUDGET_USD_PER_DAY",
  ],
  [
    "with the price of the prompt alone",
    { OPENAI_BUDGET_USD_PER_DAY: "5", OPENAI_PRICE_PROMPT: "1" },
    "OPENAI_PRICE_COMPLETION: is required with OPENAI_BUDGET_USD_PER_DAY",
  ],
  [
    "with the price of the reply alone",
    { OPENAI_BUDGET_USD_PER_DAY: "5", OPENAI_PRICE_COMPLETION: "0" },
    "OPENAI_PRICE_PROMPT: is required with OPENAI_BUDGET_USD_PER_DAY",
  ],
  [
    "of nothing",
    { ...PRICES, OPENAI_BUDGET_USD_PER_DAY: "0" },
    "OPENAI_BUDGET_USD_PER_DAY: must be more than 0",
  ],
  [
    "in another form",
    { ...PRICES, OPENAI_BUDGET_USD_PER_DAY: "$5" },
    "OPENAI_BUDGET_USD_PER_DAY: must be a number of US dollars",
  ],
])("a budget %s is refused with one line", (_, env, message) => {
  expect(() => loadWith(env)).toThrow(new SettingsError(message));
});

it.each([
  ["USDT_EVM_ADDRESS", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046"],
  ["USDT_EVM_ADDRESS", "d8da6bf26964af9d7eed9e03e53415d37aa96045"],
  ["USDT_TRON_ADDRESS", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u"],
  ["USDT_TRON_ADDRESS", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"],
])("%s is refused if it is mistyped: %s", (name, address) => {
  expect(() => loadWith({ [name]: address })).toThrow(`${name}: must be an address`);
});

it.each([
  ["USDT_EVM_ADDRESS", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "EVM_RPC_URL"],
  ["USDT_EVM_ADDRESS", "0xd8da6bf26964af9d7eed9e03e53415d37aa96045", "EVM_RPC_URL"],
  ["USDT_TRON_ADDRESS", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TRON_API_URL"],
] as const)("%s as %s needs %s", (name, address, service) => {
  expect(() => loadWith({ [name]: address })).toThrow(`${service}: is required with ${name}`);
  expect(loadWith({ [name]: address, [service]: "https://example.com" })[name]).toBe(address);
});

it.each(["0", "-1", "1.5", "many"])("a reply of %s tokens is refused", (tokens) => {
  const load = () => loadWith({ OPENAI_MAX_OUTPUT_TOKENS: tokens });
  expect(load).toThrow(/^OPENAI_MAX_OUTPUT_TOKENS: [^\n]+$/);
});

it.each(["0", "6", "1.5", "some"])("%s samples are refused", (samples) => {
  expect(() => loadWith({ OPENAI_SAMPLES: samples })).toThrow(/^OPENAI_SAMPLES: [^\n]+$/);
});

it.each([
  { OPENAI_RESPONSE_FORMAT: "json" },
  { OPENAI_REASONING_EFFORT: "a lot" },
  { OPENAI_TIMEOUT_S: "0" },
])("what no server knows is refused: %j", (env) => {
  expect(() => loadWith(env)).toThrow(new RegExp(`^${Object.keys(env)[0]}: [^\n]+$`));
});

const HTTPS = "must be https in production, except on localhost";

it.each([
  [{ JWT_SECRET: "" }, "JWT_SECRET: is required in production (32 characters or more)"],
  [{ JWT_SECRET: "short" }, "JWT_SECRET: must have at least 32 characters"],
  [
    { JWT_SECRET: "use-the-output-of-openssl-rand-base64-48" },
    "JWT_SECRET: is the example; use random characters",
  ],
  [{ ADMIN_PASSWORD: "" }, "ADMIN_PASSWORD: is required in production"],
  [
    { ADMIN_PASSWORD: "11 letters!" },
    "ADMIN_PASSWORD: must have at least 12 characters in production",
  ],
  [{ ADMIN_PASSWORD: "a-long-password" }, "ADMIN_PASSWORD: is the example; choose another"],
  [{ SMTP_URL: "" }, "SMTP_URL: is required in production: links in emails must not be logged"],
  [
    { MONGODB_URI: "" },
    "MONGODB_URI: is required in production; EMBEDDED_DATABASE=on permits the embedded database",
  ],
  [
    { FIREBASE_AUTH_URL: "https://auth.example" },
    "FIREBASE_AUTH_URL: is for the emulator, not for production",
  ],
  [{ WEBHOOK_ALLOW_PRIVATE: "on" }, "WEBHOOK_ALLOW_PRIVATE: cannot be on in production"],
  [{ RATE_LIMIT: "off" }, "RATE_LIMIT: cannot be off in production"],
  [{ CLIENT_ORIGIN: "https://example.com,http://example.com" }, `CLIENT_ORIGIN: ${HTTPS}`],
  [{ CLIENT_ORIGIN: "HTTP://localhost.example.com" }, `CLIENT_ORIGIN: ${HTTPS}`],
  [{ VITE_API_URL: "http://127.0.0.1.example.com" }, `VITE_API_URL: ${HTTPS}`],
  [{ JWT_SECRET_FILE: "/run/secrets/none" }, "JWT_SECRET_FILE: cannot be read"],
  [
    { LEDGER_WEBHOOK_URL: "http://example.com" },
    "LEDGER_WEBHOOK_URL: must be an https address in production",
  ],
])("production refuses %o with one line", (env, message) => {
  expect(() => loadWith({ ...PRODUCTION, ...env })).toThrow(new SettingsError(message));
});

it.each([
  "OPENAI_BASE_URL",
  "EXCHANGE_URL",
  "OANDA_URL",
  "YAHOO_URL",
  "EVM_RPC_URL",
  "TRON_API_URL",
  "TELEGRAM_API_URL",
])("production calls no service over plain http, as %s would", (name) => {
  const load = () => loadWith({ ...PRODUCTION, [name]: "http://service.example.com/v1" });
  const message = `${name}: must be https in production, except in the same network`;
  expect(load).toThrow(new SettingsError(message));
});

it.each([
  { MONGODB_URI: "", EMBEDDED_DATABASE: "on" },
  { CLIENT_ORIGIN: "http://localhost:5173,http://[::1]:80", VITE_API_URL: "http://127.0.0.1:8000" },
  { CLIENT_ORIGIN: "https://example.com", VITE_API_URL: "https://api.example.com" },
  { OPENAI_BASE_URL: "http://ollama:11434/v1" },
])("production accepts %o", (env) => {
  expect(loadWith({ ...PRODUCTION, ...env }).NODE_ENV).toBe("production");
});

it("outside production, nothing of this is refused", () => {
  const env = {
    CLIENT_ORIGIN: "http://example.com",
    FIREBASE_AUTH_URL: "http://localhost:9099",
    RATE_LIMIT: "off",
    WEBHOOK_ALLOW_PRIVATE: "on",
  };
  expect(loadWith(env)).toMatchObject({ NODE_ENV: "development", RATE_LIMIT: "off" });
});

it("a worker shares one secret with the servers, and keeps no other", () => {
  const production = { NODE_ENV: "production", VAPID_PUBLIC_KEY: "" };
  expect(loadDeliverySettings(production).CHANNEL_SECRET).toBeUndefined();
  const JWT_SECRET = "x".repeat(32);
  const derived = loadDeliverySettings({ ...production, JWT_SECRET });
  expect(derived).not.toHaveProperty("JWT_SECRET");
  expect(loadWith({ ...PRODUCTION, JWT_SECRET, ADMIN_PASSWORD: "a long password" })).toMatchObject({
    CHANNEL_SECRET: derived.CHANNEL_SECRET,
  });
  const given = loadDeliverySettings({ ...production, CHANNEL_SECRET: "y".repeat(32) });
  expect(given.CHANNEL_SECRET).toBe("y".repeat(32));
});

it.each([
  [{ VAPID_PUBLIC_KEY: "x" }, "VAPID_PUBLIC_KEY: must be 65 bytes in base64url"],
  [
    { VAPID_PUBLIC_KEY: "", VAPID_PRIVATE_KEY: Buffer.alloc(32).toString("base64url") },
    "VAPID_PUBLIC_KEY: is required with VAPID_PRIVATE_KEY",
  ],
  [{ TELEGRAM_BOT_TOKEN: "a bot" }, "TELEGRAM_BOT_TOKEN: must be the token of a bot"],
  [{ CHANNEL_SECRET: "short" }, "CHANNEL_SECRET: must have at least 32 characters"],
])("refuses %o", (env, message) => {
  expect(() => loadWith(env)).toThrow(message);
});

it("keys of web push are made once, outside production", () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), "keys-"));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }));
  const { VAPID_PUBLIC_KEY } = loadWith({ DATA_DIR, VAPID_PUBLIC_KEY: "" });
  expect(loadWith({ DATA_DIR, VAPID_PUBLIC_KEY: "" })).toMatchObject({ VAPID_PUBLIC_KEY });
  expect(Buffer.from(VAPID_PUBLIC_KEY ?? "", "base64url")).toHaveLength(65);
});

it("a command needs no secret of the server, and does not keep one", () => {
  const env = { NODE_ENV: "production", JWT_SECRET: "x".repeat(32), ADMIN_PASSWORD: "password" };
  const settings = loadWorkerSettings(env);
  expect(settings).not.toHaveProperty("JWT_SECRET");
  expect(settings).not.toHaveProperty("ADMIN_PASSWORD");
  expect(loadWorkerSettings({ NODE_ENV: "production" })).toEqual(settings);
  expect(() => loadWorkerSettings({ ...env, WEBHOOK_ALLOW_PRIVATE: "on" })).toThrow(
    "WEBHOOK_ALLOW_PRIVATE: cannot be on in production",
  );
});

it.each(["0", "-1", "1.5", "many"])("a limit of %s analyses a day is refused", (limit) => {
  expect(() => loadWith({ ANALYSES_PER_USER_PER_DAY: limit })).toThrow(
    "ANALYSES_PER_USER_PER_DAY: must be a whole number of 1 or more, or off",
  );
});

it("the .env file may start with a byte order mark, as editors on Windows write it", () => {
  const folder = mkdtempSync(join(tmpdir(), "dot-env-"));
  const startFolder = process.cwd();
  onTestFinished(() => {
    process.chdir(startFolder);
    rmSync(folder, { recursive: true });
  });
  vi.stubEnv("FIRST_SETTING", undefined);
  vi.stubEnv("SECOND_SETTING", undefined);
  writeFileSync(join(folder, ".env"), "\uFEFFFIRST_SETTING=1\r\nSECOND_SETTING=2\r\n");
  process.chdir(folder);
  readDotEnv();
  expect([process.env.FIRST_SETTING, process.env.SECOND_SETTING]).toEqual(["1", "2"]);
});

it("a password of the mail server with a slash is refused with the way to write it", () => {
  const load = () => loadWorkerSettings({ SMTP_URL: "smtp://me:pass/word@mail.example.com" });
  expect(load).toThrow(/^SMTP_URL: .*percent-encode.*%2F$/);
});

it.each([
  ["https://example.com/api/", "https://example.com/api"],
  ["https://example.com/", "https://example.com"],
])("the address of the API may have a path: %s", (VITE_API_URL, used) => {
  expect(loadWorkerSettings({ VITE_API_URL }).VITE_API_URL).toBe(used);
});
