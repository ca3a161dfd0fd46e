import type { ModelTestResult } from "@shared/contract/admin.ts";
import type { ResponseFormat } from "@shared/runtime/settings.ts";
import type { Connection } from "mongoose";
import { modelOf, recordSchema } from "./record-schema.ts";

/** What a server of models accepts in a call. */
export interface ModelServerTraits {
  responseFormat: ResponseFormat;
  /** Name of the limit of a reply; `none` if the server accepts neither. */
  tokenLimit: "max_completion_tokens" | "max_tokens" | "none";
  leftOut: ("reasoning_effort" | "system_role")[];
}

/** What the workers know of one server and model. All times are by the clock of the database. */
export interface ModelServerRecord {
  /** Address and model. */
  _id: string;
  /** Without user, password and query. */
  address: string;
  model: string;
  /** Learned from its rejections; absent until the first answer. */
  accepts?: ModelServerTraits & { learnedAt: Date };
  /** A fault of the settings in the last call, as one sentence that names them. Absent once a call succeeds. */
  fault?: { message: string; at: Date };
  /** What the server's list of models says of the model, one sentence each. */
  listing?: { notices: string[]; checkedAt: Date };
  /** The last test that an administrator asked for; without `result` until a worker has made it. */
  test?: { requestedAt: Date; result?: ModelTestResult };
}

const modelServerSchema = recordSchema<ModelServerRecord>("model_servers", { _id: String });

export const modelServerModels = (connection: Connection) => ({
  modelServers: modelOf(connection, modelServerSchema),
});
