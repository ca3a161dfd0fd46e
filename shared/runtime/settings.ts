import { hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { emailSchema } from "@shared/contract/authentication.ts";
import { TELEGRAM, WHATSAPP } from "@shared/contract/branding.ts";
import { DEFAULT_CONTACT_EMAIL } from "@shared/contract/constants.ts";
import { INSTRUMENT_CLASSES, type InstrumentClass } from "@shared/contract/instruments.ts";
import { timeframeSchema } from "@shared/contract/market-data.ts";
import {
  DEFAULT_TRADING_COSTS,
  MAX_COST_PERCENT,
  type TradingCosts,
  tradingCostsSchema,
} from "@shared/contract/resolution.ts";
import { z } from "zod";
import { readOrMakeSecrets, readOrMakeVapidKeys } from "./local-secrets.ts";
import {
  calendarUrl,
  commaList,
  evmAddress,
  gitRepository,
  httpUrl,
  mongodbAddress,
  notCalendars,
  onOrOff,
  optionalText,
  PUBLIC_CALENDARS,
  port,
  randomSecret,
  tronAddress,
  usdPrice,
  vapidKey,
} from "./setting-types.ts";

const TWO_NUMBERS = /^\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*$/;

/** `spread,commission` in percent, the commission for each side. */
export const tradingCostsTextSchema = z.string().transform((text, context): TradingCosts => {
  const [, spread, commission] = TWO_NUMBERS.exec(text) ?? [];
  const { data } = tradingCostsSchema.safeParse({
    spread_percent: Number(spread),
    commission_percent: Number(commission),
  });
  if (data) return data;
  const message = `must be spread,commission in percent, each from 0 to ${MAX_COST_PERCENT}, such as 0.01,0.05`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** `TRADING_COSTS_OIL`. */
const costSetting = (name: InstrumentClass): string => `TRADING_COSTS_${name.toUpperCase()}`;

/** The trading costs that are set, by class. */
const givenCosts = (env: Record<string, string | undefined>) =>
  Object.fromEntries(
    INSTRUMENT_CLASSES.map((name) => {
      const { spread_percent, commission_percent } = DEFAULT_TRADING_COSTS[name];
      return [name, env[costSetting(name)] ?? `${spread_percent},${commission_percent}`];
    }),
  );

/** Of secrets that people choose. */
const MIN_SECRET_LENGTH = 12;

/** Logs show `[secret]` instead of its value. */
const SECRET = { isSecret: true } as const;
/** Address of a service that is called; in production it must be encrypted, except in the same network. */
const SERVICE = { isService: true } as const;

/** Accepts images. Its vendor has announced no shutdown. */
export const DEFAULT_MODEL = "gpt-6.1-terra";

/** In the order in which they are tried. */
export const RESPONSE_FORMATS = ["json_schema", "json_object", "text"] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

/** Answers of a model that one analysis may be combined of. */
export const MAX_SAMPLES = 5;

const settingsSchema = z.object({
  NODE_ENV: z.enum(["development", "test", "production"]).default("development"),
  API_PORT: port.default(8000),
  CLIENT_PORT: port.default(5173),
  VITE_API_URL: httpUrl.transform((url) => url.replace(/\/+$/, "")).optional(),
  VITE_CONTACT_WHATSAPP: z
    .string()
    .regex(WHATSAPP, {
      error: "must be a phone number with country code or an https address",
    })
    .optional(),
  VITE_CONTACT_TELEGRAM: z
    .string()
    .regex(TELEGRAM, { error: "must be a user name or an https address" })
    .optional(),
  VITE_CONTACT_EMAIL: emailSchema.default(DEFAULT_CONTACT_EMAIL),
  CLIENT_ORIGIN: commaList.pipe(z.array(httpUrl).min(1)).optional(),
  MONGODB_URI: mongodbAddress.optional().meta(SECRET),
  EMBEDDED_DATABASE: onOrOff.optional(),
  DATA_DIR: z.string().min(1).default(".data"),
  JWT_SECRET: randomSecret.optional().meta(SECRET),
  CHANNEL_SECRET: randomSecret.optional().meta(SECRET),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{3,32}$/, { error: "must be 3 to 32 of A-Z a-z 0-9 _ . -" })
    .default("admin"),
  ADMIN_EMAIL: emailSchema.default("admin@example.com"),
  ADMIN_PASSWORD: z.string().min(6).optional().meta(SECRET),
  IDENTITY_PROVIDER: z.enum(["builtin", "firebase"]).default("builtin"),
  FIREBASE_API_KEY: optionalText.meta(SECRET),
  FIREBASE_AUTH_URL: httpUrl.optional(),
  SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      error:
        "must be an smtp(s):// address; percent-encode special characters of its user and password, as / by %2F",
    })
    .optional()
    .meta(SECRET),
  MAIL_FROM: z.string().min(3).default("AI Trading Signals <no-reply@example.com>"),
  MARKET_DATA: z.enum(["live", "replay", "auto"]).optional(),
  DEMO_RECORD: onOrOff.default("off"),
  EXCHANGES: commaList
    .pipe(z.array(z.string().regex(/^[a-z0-9]+$/, { error: "must be ccxt ids" })).min(1))
    .default(["binance", "bybit", "okx", "kraken", "kucoin"]),
  EXCHANGE_URL: httpUrl.optional().meta(SERVICE),
  EXCHANGE_WS_URL: z
    .url({ protocol: /^wss?$/, error: "must be a ws(s):// address" })
    .optional()
    .meta(SERVICE),
  OANDA_TOKEN: optionalText.meta(SECRET),
  OANDA_URL: httpUrl.default("https://api-fxpractice.oanda.com").meta(SERVICE),
  YAHOO_URL: httpUrl.default("https://query1.finance.yahoo.com").meta(SERVICE),
  EVENTS_URL: z
    .union([z.literal("off"), httpUrl])
    .optional()
    .meta(SERVICE),
  EVENT_GUARD: z.enum(["off", "warn", "wait"]).default("warn"),
  OPENAI_API_KEY: optionalText.meta(SECRET),
  OPENAI_BASE_URL: httpUrl.optional().meta(SERVICE),
  OPENAI_MODEL: z.string().min(1).default(DEFAULT_MODEL),
  OPENAI_RESPONSE_FORMAT: z.enum(["auto", ...RESPONSE_FORMATS]).default("auto"),
  OPENAI_REASONING_EFFORT: z
    .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"])
    .optional(),
  OPENAI_TIMEOUT_S: z.coerce.number().int().min(1).max(600).default(45),
  OPENAI_PRICE_PROMPT: usdPrice,
  OPENAI_PRICE_COMPLETION: usdPrice,
  OPENAI_BUDGET_USD_PER_DAY: z.coerce
    .number({ error: "must be a number of US dollars" })
    .positive({ error: "must be more than 0" })
    .optional(),
  OPENAI_MAX_OUTPUT_TOKENS: z.coerce.number().int().min(1).default(4_000),
  OPENAI_SAMPLES: z.coerce.number().int().min(1).max(MAX_SAMPLES).default(1),
  BENCH_FILE: z.string().min(1).optional(),
  ANALYSES_PER_USER_PER_DAY: z
    .string()
    .regex(/^(off|[1-9]\d*)$/, { error: "must be a whole number of 1 or more, or off" })
    .transform((text) => (text === "off" ? null : Number(text)))
    .default(1_000),
  SUBSCRIPTION_GRACE_DAYS: z.coerce.number().int().min(0).max(365).default(3),
  USDT_EVM_ADDRESS: evmAddress.optional(),
  USDT_EVM_NETWORK: z.string().min(1).max(40).default("Ethereum"),
  USDT_EVM_TOKEN: evmAddress.default("0xdAC17F958D2ee523a2206206994597C13D831ec7"),
  EVM_RPC_URL: httpUrl.optional().meta({ ...SECRET, ...SERVICE }),
  USDT_TRON_ADDRESS: tronAddress.optional(),
  TRON_API_URL: httpUrl.optional().meta(SERVICE),
  TRON_API_KEY: optionalText.meta(SECRET),
  AUTO_APPROVE_VERIFIED_PAYMENTS: onOrOff.default("off"),
  PAYMENT_CONFIRMATIONS: z.coerce.number().int().min(1).max(1_000).default(12),
  WATCHLIST_LIMIT: z.coerce.number().int().min(1).max(1_000).default(20),
  WATCH_MIN_TIMEFRAME: timeframeSchema.default("15m"),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(50),
  SERVER_METRICS_PORT: port.optional(),
  WORKER_METRICS_PORT: port.optional(),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  LEDGER_CALENDARS: z
    .union([
      z.literal("off").transform(() => []),
      commaList.pipe(z.array(calendarUrl).min(1, notCalendars)),
    ])
    .optional(),
  LEDGER_GIT_REPOSITORY: gitRepository.optional(),
  TRADING_COSTS: z.record(z.enum(INSTRUMENT_CLASSES), tradingCostsTextSchema),
  LEDGER_WEBHOOK_URL: httpUrl.optional(),
  TELEGRAM_BOT_TOKEN: z
    .string()
    .regex(/^\d+:[\w-]+$/, { error: "must be the token of a bot, such as 123456:ABC" })
    .optional()
    .meta(SECRET),
  TELEGRAM_API_URL: httpUrl
    .transform((url) => url.replace(/\/+$/, ""))
    .default("https://api.telegram.org")
    .meta(SERVICE),
  VAPID_SUBJECT: z
    .string()
    .regex(/^(mailto:|https:\/\/)\S+$/, { error: "must be a mailto: or https address" })
    .optional(),
  VAPID_PUBLIC_KEY: vapidKey(65),
  VAPID_PRIVATE_KEY: vapidKey(32).meta(SECRET),
  WEBHOOK_ALLOW_PRIVATE: onOrOff.default("off"),
  BACKUP_PASSPHRASE: z
    .string()
    .min(MIN_SECRET_LENGTH, { error: `must have at least ${MIN_SECRET_LENGTH} characters` })
    .optional()
    .meta(SECRET),
  RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).default(365),
  SHARE_DELAY_MINUTES: z
    .union(
      [z.literal("outcome").transform(() => null), z.coerce.number().int().min(0).max(525_600)],
      { error: "must be a whole number of minutes, or outcome" },
    )
    .default(null),
  SHARE_LINK_DAYS: z.coerce.number().int().min(1).max(3_650).default(90),
  MAX_SOCKETS_PER_ADDRESS: z.coerce.number().int().min(1).max(1_000_000).default(2_000),
  RATE_LIMIT: onOrOff.default("on"),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

/** A missing or invalid setting; the message is one line with its name. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

type RawSettings = z.infer<typeof settingsSchema>;

const settingsWith = (mark: keyof typeof SECRET | keyof typeof SERVICE): (keyof RawSettings)[] =>
  settingsSchema
    .keyof()
    .options.filter((name) => z.globalRegistry.get(settingsSchema.shape[name])?.[mark] === true);

/** Names of the settings that logs must not show. */
export const SECRET_SETTINGS: readonly string[] = settingsWith("isSecret");

function parseEnvironment(env: NodeJS.ProcessEnv): RawSettings {
  const values = Object.fromEntries(
    Object.entries({ ...env, ...readSecretFiles(env) }).filter(([, value]) => value !== ""),
  );
  const parsed = settingsSchema.safeParse({ ...values, TRADING_COSTS: givenCosts(values) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const names = issue?.path.filter((part) => typeof part === "string").join("_");
  const setting = names?.toUpperCase() || "environment";
  throw new SettingsError(`${setting}: ${issue?.message}`);
}

/** Settings in files, such as secrets that Docker, Kubernetes or a vault mounts: `JWT_SECRET_FILE` names that of `JWT_SECRET`. */
function readSecretFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = [...Object.keys(settingsSchema.shape), ...INSTRUMENT_CLASSES.map(costSetting)];
  const read = names.flatMap((name) => {
    const file = env[`${name}_FILE`];
    return file ? [[name, readSecretFile(name, file)] as const] : [];
  });
  return Object.fromEntries(read);
}

function readSecretFile(name: string, file: string): string {
  try {
    // Also without a byte order mark, which is white space here.
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new SettingsError(`${name}_FILE: cannot be read`, { cause: error });
  }
}

type Refusal = [isRefused: boolean | undefined, name: keyof RawSettings, why: string];

function refuse(raw: RawSettings, refusals: readonly Refusal[]): void {
  if (raw.NODE_ENV !== "production") return;
  const found = refusals.find(([isRefused]) => isRefused);
  if (found) throw new SettingsError(`${found[1]}: ${found[2]}`);
}

const HTTPS_REQUIRED = "must be https in production, except on localhost";
const PLAIN_HTTP = /^(http|ws):/i;

/** @param hostname as in a `URL` */
export const isThisMachine = (hostname: string): boolean =>
  /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

const isPlainHttp = (address: string): boolean =>
  PLAIN_HTTP.test(address) && !isThisMachine(new URL(address).hostname);

const SERVICE_ADDRESSES = settingsWith("isService");
const SERVICE_HTTPS = "must be https in production, except in the same network";

/** Plain http, except to this machine or to a name without a dot, which is one of the same network. */
const leavesUnencrypted = (address: unknown): boolean =>
  typeof address === "string" && isPlainHttp(address) && new URL(address).hostname.includes(".");

const refusalsOfAll = (raw: RawSettings): Refusal[] => [
  [raw.RATE_LIMIT === "off", "RATE_LIMIT", "cannot be off in production"],
  [raw.WEBHOOK_ALLOW_PRIVATE === "on", "WEBHOOK_ALLOW_PRIVATE", "cannot be on in production"],
  [
    PLAIN_HTTP.test(raw.LEDGER_WEBHOOK_URL ?? ""),
    "LEDGER_WEBHOOK_URL",
    "must be an https address in production",
  ],
  [
    raw.FIREBASE_AUTH_URL !== undefined,
    "FIREBASE_AUTH_URL",
    "is for the emulator, not for production",
  ],
  [raw.CLIENT_ORIGIN?.some(isPlainHttp), "CLIENT_ORIGIN", HTTPS_REQUIRED],
  [isPlainHttp(raw.VITE_API_URL ?? ""), "VITE_API_URL", HTTPS_REQUIRED],
  ...SERVICE_ADDRESSES.map((name): Refusal => [leavesUnencrypted(raw[name]), name, SERVICE_HTTPS]),
];

/** What .env.example shows. */
const EXAMPLE_SECRETS = ["use-the-output-of-openssl-rand-base64-48", "a-long-password"];

const refusalsOfServers = (raw: RawSettings): Refusal[] => [
  [!raw.JWT_SECRET, "JWT_SECRET", "is required in production (32 characters or more)"],
  [isExample(raw.JWT_SECRET), "JWT_SECRET", "is the example; use random characters"],
  [isExample(raw.CHANNEL_SECRET), "CHANNEL_SECRET", "is the example; use random characters"],
  [!raw.ADMIN_PASSWORD, "ADMIN_PASSWORD", "is required in production"],
  [isExample(raw.ADMIN_PASSWORD), "ADMIN_PASSWORD", "is the example; choose another"],
  [
    (raw.ADMIN_PASSWORD ?? "").length < MIN_SECRET_LENGTH,
    "ADMIN_PASSWORD",
    `must have at least ${MIN_SECRET_LENGTH} characters in production`,
  ],
  [!raw.SMTP_URL, "SMTP_URL", "is required in production: links in emails must not be logged"],
  [
    !raw.MONGODB_URI && raw.EMBEDDED_DATABASE !== "on",
    "MONGODB_URI",
    "is required in production; EMBEDDED_DATABASE=on permits the embedded database",
  ],
];

const isExample = (secret: string | undefined): boolean =>
  EXAMPLE_SECRETS.some((it) => it === secret);

/** Without prices, the budget would never be used up. */
function checkBudget(raw: RawSettings): void {
  if (raw.OPENAI_BUDGET_USD_PER_DAY === undefined) return;
  const prices = ["OPENAI_PRICE_PROMPT", "OPENAI_PRICE_COMPLETION"] as const;
  const missing = prices.filter((name) => raw[name] === undefined);
  if (missing.length === 0) return;
  const names = missing.join(" and ");
  const verb = missing.length === 1 ? "is" : "are";
  throw new SettingsError(`${names}: ${verb} required with OPENAI_BUDGET_USD_PER_DAY`);
}

/** Users would be shown an address whose payments cannot be looked up. */
function checkWallets(raw: RawSettings): void {
  if (raw.USDT_EVM_ADDRESS && !raw.EVM_RPC_URL) {
    throw new SettingsError("EVM_RPC_URL: is required with USDT_EVM_ADDRESS");
  }
  if (raw.USDT_TRON_ADDRESS && !raw.TRON_API_URL) {
    throw new SettingsError("TRON_API_URL: is required with USDT_TRON_ADDRESS");
  }
}

/** A server needs the public key only. */
function checkVapid({ VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY }: RawSettings): void {
  if (VAPID_PUBLIC_KEY || !VAPID_PRIVATE_KEY) return;
  throw new SettingsError("VAPID_PUBLIC_KEY: is required with VAPID_PRIVATE_KEY");
}

/** Demo data is not timestamped, and tests use no network. */
const defaultCalendars = (mode: RawSettings["NODE_ENV"], marketData: string): string[] =>
  marketData === "live" && mode !== "test" ? PUBLIC_CALENDARS : [];

/** The week's events of Forex Factory. */
const PUBLIC_EVENTS_URL = "https://nfs.faireconomy.media/ff_calendar_thisweek.json";

/** Events are of real markets, and tests use no network. */
const defaultEventsUrl = (mode: RawSettings["NODE_ENV"], marketData: string): string =>
  marketData === "replay" || mode === "test" ? "off" : PUBLIC_EVENTS_URL;

function withDefaults(raw: RawSettings) {
  const { JWT_SECRET: _secret, ADMIN_PASSWORD: _password, ...unowned } = raw;
  const { CHANNEL_SECRET: _channel, VAPID_PRIVATE_KEY: _key, ...others } = unowned;
  refuse(raw, refusalsOfAll(raw));
  checkVapid(raw);
  checkBudget(raw);
  checkWallets(raw);
  const marketData = raw.MARKET_DATA ?? (raw.NODE_ENV === "production" ? "live" : "auto");
  return {
    ...others,
    DATA_DIR: resolve(raw.DATA_DIR),
    VITE_API_URL: raw.VITE_API_URL ?? `http://localhost:${raw.API_PORT}`,
    CLIENT_ORIGIN: raw.CLIENT_ORIGIN ?? [`http://localhost:${raw.CLIENT_PORT}`],
    VAPID_SUBJECT: raw.VAPID_SUBJECT ?? `mailto:${raw.VITE_CONTACT_EMAIL}`,
    MARKET_DATA: marketData,
    EVENTS_URL: raw.EVENTS_URL ?? defaultEventsUrl(raw.NODE_ENV, marketData),
    LEDGER_CALENDARS: raw.LEDGER_CALENDARS ?? defaultCalendars(raw.NODE_ENV, marketData),
  };
}

/**
 * Settings of commands, which need no secrets.
 * @throws SettingsError for the first invalid setting
 */
export function loadWorkerSettings(env: NodeJS.ProcessEnv = process.env) {
  return withDefaults(parseEnvironment(env));
}
export type WorkerSettings = ReturnType<typeof loadWorkerSettings>;

/**
 * Settings of workers: also the keys of channels, without which they deliver nothing to them. They need no other secret.
 * @throws SettingsError for the first invalid setting
 */
export function loadDeliverySettings(env: NodeJS.ProcessEnv = process.env) {
  const raw = parseEnvironment(env);
  if (raw.VAPID_PUBLIC_KEY && !raw.VAPID_PRIVATE_KEY) {
    throw new SettingsError("VAPID_PRIVATE_KEY: is required with VAPID_PUBLIC_KEY");
  }
  const settings = withDefaults(raw);
  const isGiven = raw.CHANNEL_SECRET || raw.JWT_SECRET || raw.NODE_ENV === "production";
  const stored = isGiven ? undefined : readOrMakeSecrets(settings.DATA_DIR);
  const jwtSecret = raw.JWT_SECRET ?? stored?.jwtSecret;
  const { CHANNEL_SECRET, ...keys } = channelKeys(raw, jwtSecret ?? "");
  const isKnown = raw.CHANNEL_SECRET !== undefined || jwtSecret !== undefined;
  return { ...settings, ...keys, CHANNEL_SECRET: isKnown ? CHANNEL_SECRET : undefined };
}
export type DeliverySettings = ReturnType<typeof loadDeliverySettings>;

/** Keys of channels. Outside production, missing ones are created in `DATA_DIR`. */
function channelKeys(raw: RawSettings, jwtSecret: string) {
  const makesKeys = raw.NODE_ENV !== "production" && !raw.VAPID_PUBLIC_KEY;
  const stored = makesKeys ? readOrMakeVapidKeys(resolve(raw.DATA_DIR)) : undefined;
  return {
    CHANNEL_SECRET: raw.CHANNEL_SECRET ?? deriveSecret(jwtSecret, "channels"),
    VAPID_PUBLIC_KEY: raw.VAPID_PUBLIC_KEY ?? stored?.publicKey,
    VAPID_PRIVATE_KEY: raw.VAPID_PRIVATE_KEY ?? stored?.privateKey,
  };
}

/** A worker that is given a secret of the server keeps only what this derives from it. */
const deriveSecret = (secret: string, purpose: string): string =>
  Buffer.from(hkdfSync("sha256", secret, "", purpose, 32)).toString("base64url");

/**
 * Settings of a server. Outside production, missing secrets are created in `DATA_DIR`.
 * @throws SettingsError for the first invalid setting
 */
export function loadSettings(env: NodeJS.ProcessEnv = process.env) {
  const raw = parseEnvironment(env);
  refuse(raw, refusalsOfServers(raw));
  const settings = withDefaults(raw);
  if (raw.IDENTITY_PROVIDER === "firebase" && !raw.FIREBASE_API_KEY) {
    throw new SettingsError("FIREBASE_API_KEY: is required with IDENTITY_PROVIDER=firebase");
  }
  const needsSecrets = !raw.JWT_SECRET || !raw.ADMIN_PASSWORD;
  const stored = needsSecrets ? readOrMakeSecrets(settings.DATA_DIR) : undefined;
  const jwtSecret = raw.JWT_SECRET ?? stored?.jwtSecret ?? "";
  return {
    ...settings,
    ...channelKeys(raw, jwtSecret),
    JWT_SECRET: jwtSecret,
    ADMIN_PASSWORD: raw.ADMIN_PASSWORD ?? stored?.adminPassword ?? "",
  };
}
export type Settings = ReturnType<typeof loadSettings>;

/** Reads `.env` if it exists. Variables of the environment take precedence. */
export function readDotEnv(): void {
  try {
    // Editors on Windows start a file with a byte order mark, which would belong to the first name.
    const fromFile = parseEnv(readFileSync(".env", "utf8").replace(/^\uFEFF/, ""));
    for (const [name, value] of Object.entries(fromFile)) process.env[name] ??= value;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
}

/** A variable that another setting names, such as the key of an arm of the bench. */
export const readVariable = (name: string, env: NodeJS.ProcessEnv = process.env) =>
  env[name] || undefined;

export function productVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
