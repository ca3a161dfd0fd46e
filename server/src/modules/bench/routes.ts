import { benchRoutes } from "@shared/contract/routes/bench-routes.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import { chooseAnalyst } from "./choose-analyst.ts";
import { readAdminBench, readBench, readBenchDetails } from "./queries.ts";

/** Workers measure the bench every ten seconds. */
const CACHE_CONTROL = "public, max-age=5";

export const benchHandlers: BoundRoute[] = [
  handle(benchRoutes.getBench, async (_, { ctx, deps }) => {
    ctx.set("Cache-Control", CACHE_CONTROL);
    return readBench(deps.database);
  }),
  handle(benchRoutes.getBenchDetails, async (_, { ctx, deps }) => {
    ctx.set("Cache-Control", CACHE_CONTROL);
    return readBenchDetails(deps.database);
  }),
  handle(benchRoutes.getAdminBench, (_, { deps }) => readAdminBench(deps)),
  handle(benchRoutes.chooseAnalyst, ({ body }, { deps, session }) =>
    chooseAnalyst(deps, session, body.arm),
  ),
];
