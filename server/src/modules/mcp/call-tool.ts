import { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Access } from "@shared/contract/routes/define-route.ts";
import { signalAcceptedSchema } from "@shared/contract/signal.ts";
import { presentSignal } from "@shared/domain/present-signal.ts";
import compose from "koa-compose";
import { z } from "zod";
import { assertScope } from "../../http/api-keys.ts";
import { type AppContext, type AppMiddleware, sessionOf } from "../../http/context.ts";
import { toAppError } from "../../http/handle-errors.ts";
import { rateLimits } from "../../http/rate-limits.ts";
import type { RequestContext } from "../../http/request-input.ts";
import type { BoundRoute, Call } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { findSignal } from "../signals/queries.ts";
import {
  MCP_TOOLS,
  type McpTool,
  MODEL_TEXTS_NOTICE,
  REQUEST_SIGNAL,
  requestOf,
} from "./mcp-tools.ts";

/** Of the routes that tools call. */
interface ToolRoutes<Deps> {
  routes: readonly BoundRoute<Deps>[];
  guards: Record<Access, AppMiddleware[]>;
}

/** What a client that waits for a signal receives meanwhile. */
type ReportProgress = (seconds: number, message: string) => Promise<void>;

interface ToolCall {
  ctx: AppContext;
  name: string;
  args: Record<string, unknown>;
  abort: AbortSignal;
  report: ReportProgress;
}

type CallTool = (call: ToolCall) => Promise<CallToolResult>;

/** Calls the routes of the tools, with their access checks, limits and handlers. */
export function createToolCaller<Deps extends ServerDeps>(
  deps: Deps,
  { routes, guards }: ToolRoutes<Deps>,
): CallTool {
  const bound = new Map(
    MCP_TOOLS.map((tool) => [tool.name, bindTool(deps, tool, { routes, guards })]),
  );
  return async ({ name, ...call }) => {
    const tool = bound.get(name);
    if (!tool) return sentence(`There is no tool ${name}.`);
    try {
      return success(tool, await tool.run(call));
    } catch (error) {
      return failure(call.ctx, error);
    }
  };
}

interface BoundTool extends McpTool {
  run: (call: Omit<ToolCall, "name">) => Promise<unknown>;
}

function bindTool<Deps extends ServerDeps>(
  deps: Deps,
  tool: McpTool,
  { routes, guards }: ToolRoutes<Deps>,
): BoundTool {
  const { route } = tool;
  const handler = routes.find((one) => one.route === route);
  if (!handler) throw new Error(`No handler of ${route.name}.`);
  const checkScope: AppMiddleware = (ctx, next) => {
    assertScope(sessionOf(ctx), route);
    return next();
  };
  const checked = compose([
    checkScope,
    ...guards[route.access],
    ...rateLimits(deps, route.limits ?? []),
  ]);
  // The limits count how the handler ends.
  const callRoute = async (request: RequestContext, inner: Call<Deps>) => {
    let result: unknown;
    await checked(inner.ctx, async () => {
      result = await handler.run(request, inner);
    });
    return result;
  };
  return {
    ...tool,
    async run({ ctx, args, abort, report }) {
      const request = requestOf(tool, args);
      const inner = innerCall(deps, ctx);
      if (tool.name !== REQUEST_SIGNAL) return callRoute(request, inner);
      const headers = {
        ...z.record(z.string(), z.string()).parse(request.headers),
        prefer: "respond-async",
      };
      const accepted = await callRoute({ ...request, headers }, inner);
      const { signal_id } = signalAcceptedSchema.parse(accepted);
      return waitForSignal(inner, signal_id, { abort, report });
    },
  };
}

/** The handler's own context: what it writes to the response is left out of that of MCP. */
function innerCall<Deps>(deps: Deps, { app, req, state }: AppContext): Call<Deps> {
  const ctx: AppContext = app.createContext(req, new ServerResponse(req));
  ctx.state = state;
  return { ctx, deps, origin: state.origin, session: sessionOf({ state }) };
}

/** Shorter than the minute after which clients give up. */
const WAIT_MS = 50_000;
const POLL_INTERVAL_MS = 500;

const STAGES: Readonly<Record<string, string>> = {
  queued: "Waiting for a free worker.",
  running: "The market is being analysed.",
};

/** The signal when it is finished, or as it is after a while. */
async function waitForSignal(
  { deps, session }: Call<ServerDeps>,
  id: string,
  { abort, report }: Pick<ToolCall, "abort" | "report">,
) {
  const startedMs = performance.now();
  for (;;) {
    const signal = presentSignal(await findSignal(deps, session.user, id));
    const stage = STAGES[signal.status];
    const waitedMs = performance.now() - startedMs;
    if (stage === undefined || waitedMs > WAIT_MS || abort.aborted) return signal;
    await report(Math.round(waitedMs / 100) / 10, stage);
    await delay(POLL_INTERVAL_MS, undefined, { signal: abort });
  }
}

const objectSchema = z.record(z.string(), z.unknown());

function success({ output, modelTexts }: McpTool, body: unknown): CallToolResult {
  const marked = modelTexts && {
    model_texts: { notice: MODEL_TEXTS_NOTICE, fields: [...modelTexts] },
  };
  const result =
    body === undefined ? { removed: true } : { ...objectSchema.parse(body), ...marked };
  // Stored results may have fields that the schema does not know; clients would refuse them.
  const structuredContent = objectSchema.parse(z.parse(output, result));
  const notice = modelTexts ? [`${MODEL_TEXTS_NOTICE} They are: ${modelTexts.join(", ")}.`] : [];
  const texts = [...notice, JSON.stringify(structuredContent)];
  return {
    content: texts.map((text) => ({ type: "text", text })),
    structuredContent,
  };
}

function failure({ state }: AppContext, error: unknown): CallToolResult {
  const { status, code, detail, errors = [], retryAfterSeconds } = toAppError(error);
  if (status >= 500) state.log.error({ err: error }, "tool failed");
  const fields = errors.map(({ field, message }) => `${field}: ${message}`);
  const retry =
    retryAfterSeconds === undefined ? [] : [`Retry after ${retryAfterSeconds} seconds.`];
  return sentence([`${detail} (${code})`, ...fields, ...retry].join("\n"));
}

const sentence = (text: string): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text }],
});
