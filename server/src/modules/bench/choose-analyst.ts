import type { ActionDone } from "@shared/contract/admin.ts";
import type { Bench } from "@shared/contract/analyst-bench.ts";
import { ANALYST_CHOICE_ID, BENCH_SETUP_ID } from "@shared/database/models/analyst-bench.ts";
import { commit } from "@shared/outbox/commit.ts";
import { AppError } from "@shared/runtime/app-error.ts";
import type { AuthenticatedSession } from "../../http/sessions.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { readBench } from "./queries.ts";

/**
 * Makes an arm the analyst of the product, whatever the bench says of it, and logs what it said.
 * @param id null for the analyst of the settings
 * @throws AppError not-found
 */
export async function chooseAnalyst(
  { database, now }: ServerDeps,
  { user, origin }: AuthenticatedSession,
  id: string | null,
): Promise<ActionDone> {
  const setup = await database.benchSetups.findById(BENCH_SETUP_ID).lean();
  const arm = setup?.arms.find((each) => each.id === id && each.mayBeAnalyst);
  if (id !== null && !arm) {
    throw new AppError("not-found", "There is no arm of that name that can be the analyst.");
  }
  const bench = await readBench(database);
  const options = { lockKeys: "analyst-choice", actor: user.username, now, origin };
  await commit(database, options, async (uow) => {
    const { session, at } = uow;
    const chosen = { _id: ANALYST_CHOICE_ID };
    if (id === null) await database.analystChoices.deleteOne(chosen, { session });
    else {
      const $set = { arm: id, chosenAt: at };
      await database.analystChoices.updateOne(chosen, { $set }, { session, upsert: true });
    }
    const details = { arm: id ?? "settings", ...(id !== null && knownOf(bench, id)) };
    uow.log({ type: "analyst:chosen", user: null, details });
  });
  const who = arm ? arm.label : "The analyst of the settings";
  return { detail: `${who} makes the analyses within ten seconds.` };
}

/** What the bench says of an arm, for the log. */
export function knownOf({ arms, pairs }: Bench, id: string): Record<string, string | number> {
  const arm = arms.find((each) => each.id === id);
  if (!arm) return { known: "nothing yet" };
  const own = pairs.filter(({ a, b }) => a === id || b === id);
  const better = own.filter((pair) => pair.conclusive && isBetter(pair, id));
  const worse = own.filter((pair) => pair.conclusive && !isBetter(pair, id));
  const names = (found: Bench["pairs"]) =>
    found.map(({ a, b }) => (a === id ? b : a)).join(", ") || "none";
  const { model, analyses, decided, failed, expectancy_r: mean } = arm;
  const figures = { model, analyses, decided, failed };
  return {
    ...figures,
    ...(mean && { expectancy_r: round(mean.value), low: round(mean.low), high: round(mean.high) }),
    better_than: names(better),
    worse_than: names(worse),
    not_known: own.length - better.length - worse.length,
  };
}

const isBetter = ({ a, difference_r: { value } }: Bench["pairs"][number], id: string): boolean =>
  a === id ? (value ?? 0) > 0 : (value ?? 0) < 0;

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
