import type { Database } from "@shared/database/database.ts";
import { ANALYST_CHOICE_ID } from "@shared/database/models/analyst-bench.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { Analyst } from "../analysis/analyst.ts";

/** An analyst of the product, as the workers report it. */
export interface ProductAnalyst {
  analyst: Analyst;
  model: string;
  /** Id of what is known of its server. */
  modelServer?: string;
}

interface Choices {
  database: Database;
  logger: Logger;
  ofSettings: ProductAnalyst;
  arms: readonly { id: string; product: ProductAnalyst | null }[];
  /** Wraps the analyst of an arm as that of the settings is. */
  wrap: (analyst: Analyst) => Analyst;
}

/** The analyst of the settings, or the arm that an administrator has chosen. */
export class ChosenAnalyst {
  readonly #choices: Choices;
  #current: ProductAnalyst;
  #arm: string | null = null;

  constructor(choices: Choices) {
    this.#choices = choices;
    this.#current = choices.ofSettings;
  }

  get current(): ProductAnalyst {
    return this.#current;
  }

  /** Reads the choice. One that this worker does not have is that of the settings. */
  async refresh(): Promise<void> {
    const { database, logger, arms, ofSettings, wrap } = this.#choices;
    const choice = await database.analystChoices.findById(ANALYST_CHOICE_ID).lean();
    const arm = arms.find(({ id, product }) => id === choice?.arm && product !== null);
    const id = arm?.id ?? null;
    if (id === this.#arm) return;
    this.#arm = id;
    this.#current = arm?.product
      ? { ...arm.product, analyst: wrap(arm.product.analyst) }
      : ofSettings;
    logger.info({ arm: id ?? "settings", model: this.#current.model }, "the analyst was chosen");
  }
}
