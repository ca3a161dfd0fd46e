import { join } from "node:path";
import type { Settings } from "@shared/node/settings.ts";
import { type CacheUse, cachedAnalyst } from "../../worker/src/backtest/cached-analyst.ts";
import { promptReceipt } from "../../worker/src/providers/openai-prompt.ts";
import { createAnalyst } from "../../worker/src/providers/select-analyst.ts";
import type { Analyst } from "../../worker/src/signals/analyst.ts";
import { rulesAnalyst } from "../../worker/src/signals/rules-analyst.ts";
import { PlainError } from "../lib/plain-error.mjs";

/**
 * The analyst by that name, as the settings make it.
 * @throws PlainError for a model without a key
 */
export function openAnalyst(
  name: "rules" | "openai",
  settings: Settings,
): { analyst: Analyst; cacheUse: CacheUse | null } {
  if (name === "rules") return { analyst: rulesAnalyst, cacheUse: null };
  if (!settings.OPENAI_API_KEY) {
    throw new PlainError("--analyst openai: needs OPENAI_API_KEY in the environment or in .env.");
  }
  const { analyst, use } = cachedAnalyst({
    analyst: createAnalyst(settings),
    model: settings.OPENAI_MODEL,
    promptOf: promptReceipt,
    directory: join(settings.DATA_DIR, "backtest-cache"),
  });
  return { analyst, cacheUse: use };
}
