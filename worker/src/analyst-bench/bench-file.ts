import { readFileSync } from "node:fs";
import { TIMEFRAMES } from "@shared/contract/constants.ts";
import { symbolSchema, type Timeframe, timeframeSchema } from "@shared/contract/market-data.ts";
import { httpUrl } from "@shared/runtime/setting-types.ts";
import { MAX_SAMPLES, SettingsError } from "@shared/runtime/settings.ts";
import { z } from "zod";
import { BASE_EVIDENCE } from "../analysis/evidence/base-evidence.ts";
import { EVIDENCE_BLOCKS } from "../analysis/evidence/gather-evidence.ts";
import { BASELINES } from "./baselines.ts";

const MAX_ARMS = 16;
const MAX_MARKETS = 100;

/** Also the keys of the items, as `GET /signals/:id/evidence` names them. */
const EVIDENCE_KEYS = [
  ...EVIDENCE_BLOCKS,
  ...BASE_EVIDENCE,
  ...TIMEFRAMES.map((timeframe) => `candles_${timeframe}`),
];

const usdPerMillion = z.number().nonnegative();

const armSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, {
      error: "must be 1 to 32 of A-Z a-z 0-9 _ -, and start with a letter or digit",
    })
    .refine((id) => BASELINES.every((baseline) => baseline.id !== id), {
      error: "is the id of a built-in baseline",
    }),
  label: z.string().trim().min(1).max(60),
  analyst: z.enum(["rules", "openai"]),
  model: z.string().min(1).max(200).optional(),
  base_url: httpUrl.optional(),
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "must be the name of an environment variable" })
    .optional(),
  evidence: z
    .array(z.enum(EVIDENCE_KEYS, { error: `must be one of ${EVIDENCE_BLOCKS.join(", ")}` }))
    .optional(),
  samples: z.number().int().min(1).max(MAX_SAMPLES).optional(),
  anonymised: z.boolean().optional(),
  /** US dollars per million tokens; those of the settings by default. */
  price_prompt: usdPerMillion.optional(),
  price_completion: usdPerMillion.optional(),
});
export type BenchFileArm = z.infer<typeof armSchema>;

const marketSchema = z.strictObject({ symbol: symbolSchema, timeframe: timeframeSchema });

const benchFileSchema = z.strictObject({
  arms: z
    .array(armSchema)
    .max(MAX_ARMS)
    .superRefine((arms, context) => {
      const index = arms.findIndex(({ id }, at) => arms.findIndex((arm) => arm.id === id) < at);
      if (index < 0) return;
      context.addIssue({ code: "custom", path: [index, "id"], message: "is used twice" });
    }),
  markets: z
    .array(marketSchema)
    .min(1)
    .max(MAX_MARKETS)
    .superRefine((markets, context) => {
      const keyOf = (market: { symbol: string; timeframe: Timeframe }) =>
        `${market.symbol} ${market.timeframe}`;
      const keys = markets.map(keyOf);
      const index = keys.findIndex((key, at) => keys.indexOf(key) < at);
      if (index < 0) return;
      context.addIssue({ code: "custom", path: [index], message: "is named twice" });
    }),
  budget_usd_per_day: z.number().positive().optional(),
});
export type BenchFile = z.infer<typeof benchFileSchema>;

/**
 * Reads the file of the setting `BENCH_FILE`.
 * @returns null if none is set
 * @throws SettingsError, one line that names the field
 */
export function readBenchFile(path: string | undefined): BenchFile | null {
  if (path === undefined) return null;
  const parsed = benchFileSchema.safeParse(readJson(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw benchFault(fieldOf(issue), issue?.message ?? "is not valid");
}

/** An unknown field is named itself. */
function fieldOf(issue: z.core.$ZodIssue | undefined): string {
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  return [...(issue?.path ?? []), ...unknown].map(String).join(".");
}

/** One line with the name of the field, such as `arms.0.samples`. */
export const benchFault = (field: string, message: string): SettingsError =>
  new SettingsError(
    `BENCH_FILE: ${field === "" ? "" : `${field}: `}${message}`.replaceAll(/\s+/g, " "),
  );

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new SettingsError("BENCH_FILE: the file cannot be read", { cause: error });
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new SettingsError("BENCH_FILE: the file is not JSON", { cause: error });
  }
}
