import { createHash } from "node:crypto";
import { SIGNAL_DEFAULTS } from "@shared/contract/constants.ts";
import type { MarketDataSource, Timeframe } from "@shared/contract/market-data.ts";
import type { Database } from "@shared/database/database.ts";
import type { BenchSetupArm } from "@shared/database/models/analyst-bench.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";
import type { Analyst } from "../analysis/analyst.ts";
import {
  configuredServer,
  modelServerId,
  storedModelServer,
} from "../analysis/openai/model-server-store.ts";
import { RULES_MODEL, rulesAnalyst } from "../analysis/rules/rules-analyst.ts";
import { createAnalyst } from "../analysis/select-analyst.ts";
import { BASELINES } from "./baselines.ts";
import { type BenchFile, type BenchFileArm, benchFault } from "./bench-file.ts";
import type { ProductAnalyst } from "./chosen-analyst.ts";
import { budgetedAnalyst } from "./spending.ts";

/** An analyst of the bench, as it is configured. */
export interface BenchArm
  extends Omit<BenchSetupArm, "since" | "analyst" | "version" | "mayBeAnalyst"> {
  analyst: Analyst;
  /** Candles that it sees. */
  limit: number;
  /** What it is given beside the candles; all by default. */
  evidence: readonly string[] | undefined;
  isAnonymised: boolean;
  /** It as the analyst of the product, outside the budget of the bench; null if it cannot be. */
  product: ProductAnalyst | null;
}

export interface BenchMarket {
  symbol: string;
  timeframe: Timeframe;
}

export interface AnalystBench {
  arms: readonly BenchArm[];
  markets: readonly BenchMarket[];
  budgetUsd: number | null;
}

type BenchSettings = Parameters<typeof createAnalyst>[0] &
  Pick<WorkerSettings, "OPENAI_BASE_URL" | "OPENAI_MODEL">;

interface ArmDeps {
  settings: BenchSettings;
  /** Reads an environment variable. */
  readVariable: (name: string) => string | undefined;
  /** Null for a replay, which has no budget and learns for itself what a server accepts. */
  database: Database | null;
  logger: Logger;
}

/** @throws SettingsError, one line that names the field of the file */
export function createBench(file: BenchFile, deps: ArmDeps): AnalystBench {
  const budgetUsd = file.budget_usd_per_day ?? null;
  const arms = file.arms.map((arm, index) => createArm(arm, { ...deps, index, budgetUsd }));
  return { arms: [...arms, ...builtInArms()], markets: file.markets, budgetUsd };
}

/** Those that every bench has. */
export const builtInArms = (): BenchArm[] =>
  BASELINES.map(({ id, label, analyst, model, limit }) => ({
    ...plainArm({ id, label, analyst, model }),
    limit,
    isBaseline: true,
  }));

/** Live and demo data are never combined: the key of an arm with that data. */
export const keyWithData = (key: string, data: MarketDataSource): string =>
  data === "live" ? key : `${key}-${data}`;

/** The arm of the built-in rules, as in the demo. */
export const rulesArm = (id: string, label: string): BenchArm =>
  plainArm({ id, label, analyst: rulesAnalyst, model: RULES_MODEL });

function plainArm(arm: Pick<BenchArm, "id" | "label" | "analyst" | "model">): BenchArm {
  return {
    ...arm,
    key: keyOf(arm.id, [arm.analyst.version, arm.model]),
    limit: SIGNAL_DEFAULTS.limit,
    evidence: undefined,
    isAnonymised: false,
    isBaseline: false,
    product: null,
  };
}

/** Changes with everything that may change its analyses: it has another record then. */
const keyOf = (id: string, configured: unknown): string =>
  `${id}@${createHash("sha256").update(JSON.stringify(configured)).digest("hex").slice(0, 10)}`;

const RULES = { analyst: rulesAnalyst, model: RULES_MODEL };

type OpenAiDeps = ArmDeps & { index: number; budgetUsd: number | null };

function createArm(arm: BenchFileArm, deps: OpenAiDeps): BenchArm {
  const { id, label, evidence, anonymised: isAnonymised = false } = arm;
  const { analyst, model, address, product } =
    arm.analyst === "rules"
      ? { ...RULES, address: null, product: { ...RULES, model: rulesAnalyst.name } }
      : createModel(arm, deps);
  const blocks = evidence?.toSorted();
  return {
    id,
    label,
    analyst,
    model,
    key: keyOf(id, [analyst.version, model, address, blocks ?? null, isAnonymised]),
    limit: SIGNAL_DEFAULTS.limit,
    evidence: blocks,
    isAnonymised,
    isBaseline: false,
    product: evidence === undefined && !isAnonymised ? product : null,
  };
}

function createModel(arm: BenchFileArm, deps: OpenAiDeps) {
  const { settings, database, logger, index, budgetUsd } = deps;
  const own: BenchSettings = {
    ...settings,
    OPENAI_API_KEY: apiKeyOf(arm, deps),
    OPENAI_BASE_URL: arm.base_url ?? settings.OPENAI_BASE_URL,
    OPENAI_MODEL: arm.model ?? settings.OPENAI_MODEL,
    OPENAI_SAMPLES: arm.samples ?? 1,
    OPENAI_PRICE_PROMPT: arm.price_prompt ?? settings.OPENAI_PRICE_PROMPT,
    OPENAI_PRICE_COMPLETION: arm.price_completion ?? settings.OPENAI_PRICE_COMPLETION,
  };
  if (budgetUsd !== null) {
    const prices = [
      ["price_prompt", own.OPENAI_PRICE_PROMPT],
      ["price_completion", own.OPENAI_PRICE_COMPLETION],
    ] as const;
    const missing = prices.find(([, price]) => price === undefined);
    if (missing) {
      const message = `is required with budget_usd_per_day (or OPENAI_${missing[0].toUpperCase()})`;
      throw benchFault(`arms.${index}.${missing[0]}`, message);
    }
  }
  const server = configuredServer(own);
  const armLogger = logger.child({ arm: arm.id });
  const analyst = createAnalyst(own, {
    ...(database && { server: storedModelServer({ database, logger: armLogger }, server) }),
    logger: armLogger,
  });
  return {
    analyst: database
      ? budgetedAnalyst(analyst, arm.id, { database, now: database.now, budgetUsd })
      : analyst,
    model: own.OPENAI_MODEL,
    address: modelServerId(server).address,
    product: { analyst, model: own.OPENAI_MODEL, modelServer: modelServerId(server)._id },
  };
}

/** A key of the settings is never sent to another server. */
const NO_KEY = "none";

function apiKeyOf(arm: BenchFileArm, { settings, readVariable, index }: OpenAiDeps): string {
  const { api_key_env: name, base_url: baseUrl } = arm;
  const field = `arms.${index}.api_key_env`;
  if (name !== undefined) {
    const key = readVariable(name);
    if (key) return key;
    throw benchFault(field, `the environment variable ${name} is not set`);
  }
  if (baseUrl !== undefined && baseUrl !== settings.OPENAI_BASE_URL) return NO_KEY;
  if (settings.OPENAI_API_KEY) return settings.OPENAI_API_KEY;
  if (baseUrl !== undefined) return NO_KEY;
  throw benchFault(field, "is required without OPENAI_API_KEY");
}
