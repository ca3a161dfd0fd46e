import { DAY_MS } from "@shared/contract/constants.ts";
import type { ModelServerRecord } from "@shared/database/models/model-server.ts";
import {
  configuredServer,
  modelServerId,
  storedModelServer,
} from "../analysis/openai/model-server-store.ts";
import { readModelNotices } from "../analysis/openai/server-models.ts";
import { createAnalyst } from "../analysis/select-analyst.ts";
import { testModel } from "../analysis/test-model.ts";
import type { WorkerDeps } from "../worker-deps.ts";

type ModelSettings = Parameters<typeof createAnalyst>[0];

/** Asks the model's server for its models, at the start of the worker and daily, and makes the tests that were asked for. */
export class ModelChecks {
  readonly #deps: Pick<WorkerDeps, "database" | "logger" | "now">;
  readonly #settings: ModelSettings;
  /** Those that this process has logged. */
  #logged: readonly string[] = [];
  #isFirst = true;

  constructor(deps: Pick<WorkerDeps, "database" | "logger" | "now">, settings: ModelSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  async run(abort: AbortSignal): Promise<void> {
    const { database, now } = this.#deps;
    const { _id } = modelServerId(configuredServer(this.#settings));
    const { listing, test } = (await database.modelServers.findById(_id).lean()) ?? {};
    const ageMs = listing
      ? now().getTime() - listing.checkedAt.getTime()
      : Number.POSITIVE_INFINITY;
    if (this.#isFirst || ageMs >= DAY_MS) await this.#checkListing(abort);
    this.#isFirst = false;
    if (test && !test.result) await this.#test(test.requestedAt, abort);
  }

  async #checkListing(abort: AbortSignal): Promise<void> {
    const { now, logger } = this.#deps;
    const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = this.#settings;
    if (apiKey === undefined) return;
    const today = now().toISOString().slice(0, 10);
    const access = { ...this.#settings, apiKey, baseUrl };
    const notices = await readModelNotices(access, { today, abort, logger });
    for (const notice of notices) if (!this.#logged.includes(notice)) logger.warn(notice);
    this.#logged = notices;
    await this.#save({ listing: { notices, checkedAt: now() } });
  }

  async #test(requestedAt: Date, abort: AbortSignal): Promise<void> {
    const { logger } = this.#deps;
    const server = storedModelServer(this.#deps, configuredServer(this.#settings));
    const analyst = createAnalyst(this.#settings, { server, logger });
    const result = await testModel(analyst, { abort, now: () => performance.now() });
    await this.#save({ test: { requestedAt, result } });
  }

  async #save(change: Pick<ModelServerRecord, "listing"> | Pick<ModelServerRecord, "test">) {
    const { _id, ...named } = modelServerId(configuredServer(this.#settings));
    await this.#deps.database.modelServers.updateOne(
      { _id },
      { $set: { ...named, ...change } },
      { upsert: true },
    );
  }
}
