import { createHash } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";
import { channelEventSchema } from "@shared/contract/channels.ts";
import { EXPORT_FORMATS } from "@shared/contract/performance.ts";
import { ROUTES } from "@shared/contract/routes/all-routes.ts";
import { testDatabaseUri } from "@shared/testing/test-mongo.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiRouter } from "../../app.ts";
import { KeyCallQueue } from "../../http/key-call-queue.ts";
import { startTestServer, type TestServer } from "../../testing/start-test-server.ts";

describe("the API's own description", () => {
  let server: TestServer;
  let text: string;
  beforeAll(async () => {
    server = await startTestServer({ databaseUri: testDatabaseUri() });
    text = await (await server.call("/openapi.json")).text();
  });
  afterAll(() => server.stop());

  it("names exactly the routes that the API has", () => {
    const mounted = createApiRouter(server.deps, new KeyCallQueue()).stack.flatMap(
      ({ methods, path }) =>
        methods.filter((method) => method !== "HEAD").map((method) => `${method} ${path}`),
    );
    const documented = ROUTES.map(({ name }) => name);
    expect(documented.toSorted()).toEqual(mounted.toSorted());
  });

  it("names every content type of a file whose format is a choice", async () => {
    const { content } = JSON.parse(text).paths["/performance/export"].get.responses[200];
    for (const format of EXPORT_FORMATS) {
      const answer = await server.call(`/performance/export?format=${format}`);
      expect(Object.keys(content)).toContain(answer.headers.get("Content-Type")?.split(";")[0]);
    }
  });

  it("explains how a trade ends that its provider has no prices for", () => {
    const { schemas } = JSON.parse(text).components;
    const explained = {
      provider: expect.objectContaining({ description: expect.any(String) }),
      provider_changed: expect.objectContaining({ description: expect.any(String) }),
      provider_changed_at: expect.objectContaining({ description: expect.any(String) }),
      known_until: expect.objectContaining({ description: expect.any(String) }),
      reason: expect.objectContaining({ description: expect.stringContaining("`no-data`") }),
    };
    const [judgement] = schemas.SignalSince.properties.judgement.anyOf;
    expect(judgement.properties).toMatchObject(explained);
    const outcome = schemas.LedgerEntry.properties.record.oneOf.find(
      (record: { properties: { kind: { const: string } } }) =>
        record.properties.kind.const === "outcome",
    );
    expect(outcome.properties.body.properties).toMatchObject(explained);
    const { description } = JSON.parse(text).paths["/performance/export"].get;
    expect(description).toContain("`outcome_provider`");
    expect(description).toContain("`no-data`");
  });

  it("is a valid OpenAPI 3.1 document", async () => {
    const document = JSON.parse(text);
    expect(document.openapi).toBe("3.1.0");
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });

  it("describes what webhooks receive, with the data of each event", () => {
    const { webhooks, components } = JSON.parse(text);
    expect(Object.keys(webhooks)).toEqual(channelEventSchema.options);
    const { schema } = webhooks["signal.outcome"].post.requestBody.content["application/json"];
    expect(schema).toEqual({ $ref: "#/components/schemas/SignalOutcomeMessage" });
    const { properties } = components.schemas.SignalOutcomeMessage;
    expect(properties.type).toMatchObject({ const: "signal.outcome" });
    expect(Object.keys(properties.data.properties)).toEqual([
      "signal_id",
      "outcome",
      "resolved_at",
    ]);
  });

  it("says where administrators must turn on the second factor first", () => {
    const { paths } = JSON.parse(text);
    const refusals = (operation: { responses: object }) =>
      JSON.stringify(operation.responses).includes("two-factor-enrolment-required");
    expect(refusals(paths["/admin/list-users"].get)).toBe(true);
    expect(refusals(paths["/signal-history"].get)).toBe(true);
    for (const open of [paths["/me"].get, paths["/logout"].post, paths["/login"].post])
      expect(refusals(open)).toBe(false);
  });

  it("refers only to what it holds", () => {
    const { components } = JSON.parse(text);
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    for (const [, kind = "", name = ""] of references) {
      expect(components[kind]).toHaveProperty(name);
    }
  });

  it("names each operation once, and every parameter of each path", () => {
    const paths: Record<
      string,
      Record<string, { operationId: string; parameters: Parameter[] }>
    > = JSON.parse(text).paths;
    const ids: string[] = [];
    for (const [path, operations] of Object.entries(paths)) {
      for (const { operationId, parameters } of Object.values(operations)) {
        ids.push(operationId);
        const inPath = parameters.filter((parameter) => parameter.in === "path");
        const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        expect(inPath.map(({ name }) => name)).toEqual(names);
      }
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("describes numbers by what they must be and what they fall back to", () => {
    const { limit } = JSON.parse(text).components.schemas.SignalRequest.properties;
    expect(limit).toEqual({
      type: "integer",
      minimum: 10,
      maximum: 500,
      description: "50 if it is missing or no number",
    });
  });

  describe("as a page", () => {
    it("shows every route and every schema", async () => {
      const page = await (await server.call("/docs")).text();
      const { components } = JSON.parse(text);
      for (const { name } of ROUTES) {
        const shown = name.replaceAll(/:(\w+)/g, "{$1}");
        expect(page).toContain(`<code>${shown}</code>`);
      }
      for (const name of Object.keys(components.schemas)) {
        expect(page).toContain(`id="schema-${name}"`);
      }
    });

    it("links only to itself", async () => {
      const page = await (await server.call("/docs")).text();
      const targets = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(
        ([, target = ""]) => target,
      );
      expect(targets).toContain("openapi.json");
      for (const target of targets.filter((it) => it !== "openapi.json")) {
        expect(target).toMatch(/^#/);
        expect(page).toContain(`id="${target.slice(1)}"`);
      }
    });

    it("runs no script, and has no style but its own", async () => {
      const answer = await server.call("/docs");
      const page = await answer.text();
      expect(answer.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
      expect(page).not.toMatch(/<script|style=|\son\w+=/);
      const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
      const hash = createHash("sha256").update(style).digest("base64");
      expect(answer.headers.get("Content-Security-Policy")).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
    });
  });
});

interface Parameter {
  in: string;
  name: string;
}
