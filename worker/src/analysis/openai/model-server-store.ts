import type { Database } from "@shared/database/database.ts";
import type { ModelServerTraits } from "@shared/database/models/model-server.ts";
import type { Logger } from "@shared/runtime/logger.ts";
import type { WorkerSettings } from "@shared/runtime/settings.ts";

/** Without OPENAI_BASE_URL. */
export const VENDOR_URL = "https://api.openai.com/v1";

/** A server and a model of it. */
export interface NamedModel {
  baseUrl: string;
  model: string;
}

/** What is known of one server and model. */
export interface ModelServerStore {
  /** Null before the first answer. */
  read(): Promise<ModelServerTraits | null>;
  saveTraits(traits: ModelServerTraits): Promise<void>;
  /** @param message null once a call has succeeded again */
  saveFault(message: string | null): Promise<void>;
}

/** Keeps it in this process. */
export function memoryModelServer(): ModelServerStore {
  let known: ModelServerTraits | null = null;
  return {
    read: async () => known,
    async saveTraits(traits) {
      known = traits;
    },
    saveFault: async () => undefined,
  };
}

/**
 * Keeps it in the database, for all workers. While the database is not available, analyses go on with what this worker
 * knew last.
 */
export function storedModelServer(
  { database, logger }: { database: Database; logger: Logger },
  server: NamedModel,
): ModelServerStore {
  const { _id, ...named } = modelServerId(server);
  let last: ModelServerTraits | null = null;
  const update = async (change: Record<string, unknown>) => {
    try {
      await database.modelServers.updateOne({ _id }, change, { upsert: true });
    } catch (error) {
      logger.warn({ err: error }, "could not store what the model server accepts");
    }
  };
  return {
    async read() {
      try {
        const { accepts } = (await database.modelServers.findById(_id).lean()) ?? {};
        last = accepts ? traitsOf(accepts) : null;
      } catch (error) {
        logger.warn({ err: error }, "could not read what the model server accepts");
      }
      return last;
    },
    saveTraits(traits) {
      last = traits;
      const fields = Object.entries(traitsOf(traits)).map(([name, it]) => [`accepts.${name}`, it]);
      return update({
        $set: { ...named, ...Object.fromEntries(fields) },
        $currentDate: { "accepts.learnedAt": true },
      });
    },
    saveFault: (message) =>
      update(
        message === null
          ? { $set: named, $unset: { fault: "" } }
          : { $set: { ...named, "fault.message": message }, $currentDate: { "fault.at": true } },
      ),
  };
}

const traitsOf = ({ responseFormat, tokenLimit, leftOut }: ModelServerTraits) => ({
  responseFormat,
  tokenLimit,
  leftOut,
});

/** The server and the model that the settings name. */
export const configuredServer = ({
  OPENAI_BASE_URL: baseUrl = VENDOR_URL,
  OPENAI_MODEL: model,
}: Pick<WorkerSettings, "OPENAI_BASE_URL" | "OPENAI_MODEL">): NamedModel => ({ baseUrl, model });

/** Id, address and model of a server as they are stored: an address may contain a password. */
export function modelServerId({ baseUrl, model }: NamedModel) {
  const { origin, pathname } = new URL(baseUrl);
  const address = `${origin}${pathname.replace(/\/+$/, "")}`;
  return { _id: `${address} ${model}`, address, model };
}
