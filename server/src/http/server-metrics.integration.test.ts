import { PushClient } from "@shared/testing/api-client.ts";
import { createUser, signTokenFor } from "@shared/testing/factories.ts";
import { createSignals } from "@shared/testing/signal-factory.ts";
import { freePort, type SpawnedService, spawnService } from "@shared/testing/spawn-service.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type LiveServer, startLiveServer } from "../testing/start-live-server.ts";

const logLineSchema = z
  .string()
  .transform((line): unknown => JSON.parse(line))
  .pipe(z.object({ msg: z.string(), requestId: z.string().optional() }));

describe("metrics for the operator", () => {
  const databaseUri = testDatabaseUri();
  let server: LiveServer;
  let worker: SpawnedService;
  let workerPort: number;
  beforeAll(async () => {
    server = await startLiveServer({ databaseUri });
    workerPort = await freePort();
    worker = await spawnService("worker", {
      NODE_ENV: "production",
      MONGODB_URI: databaseUri,
      MARKET_DATA: "replay",
      WORKER_METRICS_PORT: String(workerPort),
    });
  });
  afterAll(async () => {
    await worker.stop();
    await server.stop();
  });

  const figures = async (address: string): Promise<Map<string, number>> => {
    const answer = await fetch(`${address}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    const lines = (await answer.text()).split("\n").filter((line) => /^[a-z]/.test(line));
    return new Map(
      lines.map((line) => {
        const end = line.lastIndexOf(" ");
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
    );
  };
  const ofServer = () => figures(server.url);
  const ofWorker = () => figures(`http://localhost:${workerPort}`);
  const trader = async () => {
    const user = await createUser(server.database, { approved: true });
    return { user, token: signTokenFor(user, server.settings) };
  };
  const ask = (token: string, requestId: string) =>
    fetch(`${server.url}/get-signal`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-request-id": requestId,
      },
      // Each for an analysis of its own.
      body: JSON.stringify({ symbol: "BTC/USDT", timeframe: "1h", limit: 50 + requestId.length }),
    });

  it("count requests by their route, not by their address", async () => {
    await fetch(`${server.url}/payment_proofs/no-such-picture.png`);
    await fetch(`${server.url}/nowhere`);
    const found = await ofServer();
    const route = 'service="server",method="GET",route="/payment_proofs/:filename",status="401"';
    expect(found.get(`http_request_duration_seconds_count{${route}}`)).toBe(1);
    const unknown = 'service="server",method="GET",route="none",status="404"';
    expect(found.get(`http_request_duration_seconds_count{${unknown}}`)).toBe(1);
    expect([...found.keys()].join()).not.toContain("no-such-picture");
  });

  it("show how many analyses wait, and since when", async () => {
    const { user } = await trader();
    const createdAt = new Date(Date.now() - 90_000);
    const [signal] = await createSignals(server.database, user, {
      status: "queued",
      createdAt,
    });
    const found = await ofServer();
    expect(found.get('analyses_waiting{service="server"}')).toBe(1);
    expect(found.get('analyses_oldest_waiting_seconds{service="server"}')).toBeGreaterThanOrEqual(
      90,
    );
    expect(found.get('analyses_scheduled_waiting{service="server"}')).toBe(0);
    expect(found.get('database_up{service="server"}')).toBe(1);
    await server.database.marketAnalyses.deleteOne({ _id: signal?.analysisId });
    expect((await ofServer()).get('analyses_waiting{service="server"}')).toBe(0);
  });

  it("show stages, open sockets and lag of a signal", async () => {
    const { token } = await trader();
    const push = new PushClient({ url: server.url, token, since: { user: 0 } });
    await ask(token, "metrics-1");
    await vi.waitFor(() => expect(push.named("signal:completed")).toHaveLength(1), {
      timeout: 30_000,
    });
    const metrics = await ofServer();
    expect(metrics.get('sockets_open{service="server"}')).toBe(1);
    expect(metrics.get('event_lag_seconds_count{service="server"}')).toBeGreaterThanOrEqual(3);
    await vi.waitFor(
      async () => {
        const made = await ofWorker();
        expect(made.get('signal_duration_seconds_count{service="worker",status="completed"}')).toBe(
          1,
        );
        expect(
          made.get('signal_stage_duration_seconds_count{service="worker",stage="fetching"}'),
        ).toBe(1);
        expect(made.get('analyses_in_flight{service="worker"}')).toBe(0);
      },
      { timeout: 30_000 },
    );
    push.close();
    const health = await fetch(`http://localhost:${workerPort}/healthz`);
    expect(await health.text()).toBe("ok");
  });

  it("in production are served on a port of their own, and the page about the API not at all", async () => {
    const port = await freePort();
    const production = await startLiveServer({
      databaseUri,
      env: {
        NODE_ENV: "production",
        EMBEDDED_DATABASE: "on",
        SMTP_URL: "smtp://localhost:9",
        SERVER_METRICS_PORT: String(port),
      },
    });
    const statusOf = async (path: string) => (await fetch(production.url + path)).status;
    expect(await Promise.all(["/metrics", "/docs", "/healthz"].map(statusOf))).toEqual([
      404, 404, 200,
    ]);
    const { paths } = await (await fetch(`${production.url}/openapi.json`)).json();
    expect(Object.keys(paths)).not.toContain("/metrics");
    const found = await figures(`http://localhost:${port}`);
    expect(found.get('analyses_scheduled_waiting{service="server"}')).toBe(0);
    expect(found.get('database_up{service="server"}')).toBe(1);
    await production.stop();
  });

  it("the log of the worker names the request that a signal goes back to", async () => {
    const { token } = await trader();
    expect((await ask(token, "trace-me")).status).toBe(200);
    await vi.waitFor(
      () => {
        const lines = worker.lines.map((line) => logLineSchema.parse(line));
        const traced = lines.filter(({ requestId }) => requestId === "trace-me");
        expect(traced.map(({ msg }) => msg)).toEqual(["analysis started", "analysis finished"]);
      },
      { timeout: 30_000 },
    );
  });
});
