import { createHash } from "node:crypto";
import type { Route } from "@shared/contract/routes/define-route.ts";
import { serviceRoutes } from "@shared/contract/routes/service-routes.ts";
import { Html, html } from "@shared/runtime/html.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import { NO_FRAMES_OR_FORMS } from "../../http/create-http-server.ts";
import { type BoundRoute, handle } from "../../http/router.ts";
import type { ServerDeps } from "../../server-deps.ts";
import {
  buildDocument,
  type Content,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
} from "./openapi-document.ts";

/** The policy of `/docs` allows this style and nothing else. */
const DOCS_STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
article { border-top: 1px solid #8886; padding: 0.5rem 0; }
code { font: 0.9em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; }
h3 code { font-size: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; }
td { overflow-wrap: anywhere; }
ul { margin: 0; padding-left: 1.25rem; }
`;

interface OperationAt {
  method: string;
  path: string;
  operation: Operation;
}

function renderDocsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const operations = listOperations(document);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<style>${new Html(DOCS_STYLE)}</style>
</head>
<body>
<h1>${info.title} API</h1>
<p>Version ${info.version} · <a href="openapi.json">openapi.json</a></p>
<p>${withCode(info.description)}</p>
<nav><ul>${tags.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></nav>
<main>${tags.map((tag) => renderTag(tag, operations))}
<h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(
  ([name, schema]) =>
    html`<article id="schema-${name}"><h3>${name}</h3><pre>${renderSchema(schema)}</pre></article>`,
)}
</main>
</body>
</html>
`;
  return page.text;
}

function listOperations({ paths }: OpenApiDocument): OperationAt[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function renderTag(tag: OpenApiDocument["tags"][number], operations: readonly OperationAt[]): Html {
  const own = operations.filter(({ operation }) =>
    operation.tags.some((name) => name === tag.name),
  );
  return html`<section id="${tag.name}"><h2>${tag.name}</h2><p>${tag.description}</p>
${own.map(renderOperation)}</section>
`;
}

function renderOperation({ method, path, operation }: OperationAt): Html {
  const { operationId, summary, description, security, parameters, requestBody } = operation;
  return html`<article id="${operationId}">
<h3><code>${method} ${path}</code></h3>
<p>${summary}. ${security.length > 0 ? "Needs a token. " : undefined}${withCode(description ?? "")}</p>
${parameters.length > 0 ? renderParameters(parameters) : undefined}
${requestBody && html`<p>Body: ${renderContent(requestBody.content)}</p>`}
${renderResponses(operation)}
</article>
`;
}

function renderParameters(parameters: readonly Parameter[]): Html {
  return html`<table><thead><tr><th>Parameter</th><th>In</th><th>Value</th></tr></thead><tbody>
${parameters.map(
  ({ name, in: place, required, schema, description }) =>
    html`<tr><td><code>${name}</code>${required ? undefined : html` <em>optional</em>`}</td>
<td>${place}</td><td>${renderSchema(schema)} ${description}</td></tr>`,
)}</tbody></table>`;
}

function renderResponses({ responses }: Operation): Html {
  return html`<table><thead><tr><th>Status</th><th>When</th><th>Body</th></tr></thead><tbody>
${Object.entries(responses).map(
  ([status, { description, content = {} }]) =>
    html`<tr><td>${status}</td><td>${withCode(description)}</td>
<td>${Number(status) < 400 ? renderContent(content) : html`<a href="#schema-Error">Error</a>`}</td></tr>`,
)}</tbody></table>`;
}

/** All content types of a body share one schema. */
function renderContent(content: Content): Html {
  const [first] = Object.values(content);
  return html`${renderSchema(first?.schema)} as ${Object.keys(content).join(", ")}`;
}

/** Renders text between backticks as code. */
function withCode(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

const SCHEMA_REFERENCE = /\{\s*"\$ref": "#\/components\/schemas\/(\w+)"\s*\}/;

function renderSchema(schema: JsonSchema | undefined): Html {
  const parts = JSON.stringify(schema ?? {}, null, 2).split(SCHEMA_REFERENCE);
  const linked = parts.map((part, index) =>
    index % 2 === 1 ? html`<a href="#schema-${part}">${part}</a>` : part,
  );
  return html`<code>${linked}</code>`;
}

const styleHash = createHash("sha256").update(DOCS_STYLE).digest("base64");
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; ${NO_FRAMES_OR_FORMS}`;

/** The description of the API as OpenAPI and as a page. */
export function createDocsHandlers(
  { settings }: ServerDeps,
  routes: readonly Route[],
): BoundRoute[] {
  const describe = once(() =>
    buildDocument({ version: productVersion(), serverUrl: settings.VITE_API_URL, routes }),
  );
  const render = once(() => renderDocsPage(describe()));
  return [
    handle(serviceRoutes.getOpenApi, () => ({ ...describe() })),
    handle(serviceRoutes.getDocs, (_, { ctx }) => {
      ctx.set("Content-Security-Policy", PAGE_POLICY);
      ctx.type = "html";
      return render();
    }),
  ];
}

/** Computed when it is first asked for: a server starts without it. */
function once<Value>(compute: () => Value): () => Value {
  let computed: { value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
