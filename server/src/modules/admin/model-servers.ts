import type { ActionDone, ModelReport } from "@shared/contract/admin.ts";
import type { Database } from "@shared/database/database.ts";
import type { ModelServerRecord } from "@shared/database/models/model-server.ts";
import { commit } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import { findActiveWorkers } from "@shared/work/active-workers.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";

/** What is known of the models that active workers use. */
export async function readModelServers(database: Database): Promise<ModelServerRecord[]> {
  const ids = await idsInUse(database);
  return database.modelServers
    .find({ _id: { $in: ids } })
    .sort({ _id: 1 })
    .lean();
}

async function idsInUse(database: Database): Promise<string[]> {
  const workers = await findActiveWorkers(database);
  return [...new Set(workers.flatMap(({ modelServer }) => modelServer ?? []))];
}

/** Asks the workers for a test of each model. One that has not been made yet is not asked for again. */
export async function requestModelTest(
  { database, now }: ServerDeps,
  { user, origin }: AuthenticatedSession,
): Promise<ActionDone> {
  const ids = await idsInUse(database);
  if (ids.length === 0) {
    throw new AppError("unavailable", "No worker with an AI model is running.");
  }
  const idle = { $or: [{ test: { $exists: false } }, { "test.result": { $exists: true } }] };
  const options = { lockKeys: "model-test", actor: user.username, now, origin };
  await commit(database, options, async (uow) => {
    await database.modelServers.updateMany(
      { _id: { $in: ids }, ...idle },
      [{ $unset: "test" }, { $set: { test: { requestedAt: "$$NOW" } } }],
      { session: uow.session, updatePipeline: true },
    );
    uow.log({ type: "model:tested", user: null });
  });
  return { detail: "The model is being tested." };
}

export function presentModel(record: ModelServerRecord): ModelReport {
  const { address, model, accepts, fault, listing, test } = record;
  return {
    address,
    model,
    accepts: accepts
      ? {
          response_format: accepts.responseFormat,
          token_limit: accepts.tokenLimit,
          left_out: accepts.leftOut,
          learned_at: accepts.learnedAt.toISOString(),
        }
      : null,
    fault: fault ? { detail: fault.message, at: fault.at.toISOString() } : null,
    notices: listing?.notices ?? [],
    test: test
      ? { requested_at: test.requestedAt.toISOString(), result: test.result ?? null }
      : null,
  };
}
