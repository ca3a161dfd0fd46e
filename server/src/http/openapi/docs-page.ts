import { createHash } from "node:crypto";
import type { Route } from "@shared/contract/routes/define-route.ts";
import { serviceRoutes } from "@shared/contract/routes/service-routes.ts";
import { Html, html } from "@shared/runtime/html.ts";
import { productVersion } from "@shared/runtime/settings.ts";
import type { ServerDeps } from "../../server-deps.ts";
import { type BoundRoute, handle } from "../router.ts";
import {
  buildDocument,
  type Content,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
} from "./build-document.ts";

/** The policy of `/docs` allows this style and nothing else. */
const DOCS_STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
article { border-top: 1px solid #8886; padding: 0.5rem 0; }
code, pre { font: 0.9em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
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

/** The document as a page without scripts and external resources. */
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
    html`<article id="schema-${name}"><h3>${name}</h3>${describeFields(schema)}</article>`,
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
<td>${place}</td><td>${describeSchema(schema)}${description && `. ${description}`}</td></tr>`,
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
  return html`${describeSchema(first?.schema)} as ${Object.keys(content).join(", ")}`;
}

/** Renders text between backticks as code. */
function withCode(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Short form of a schema: `integer, 10 to 500`, `"BUY" | "SELL"`, or a link to a named schema. */
function describeSchema(schema: JsonSchema | boolean | undefined): Html {
  if (schema === undefined || typeof schema === "boolean") return html`anything`;
  if (schema.$ref) return linkTo(schema.$ref);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return join(alternatives.map(describeSchema), " or ");
  if (schema.allOf) return join(schema.allOf.map(describeSchema), " with ");
  if (schema.properties) return describeFields(schema);
  return describeValue(schema);
}

function describeValue(schema: JsonSchema): Html {
  if (schema.enum) return html`${schema.enum.map((value) => JSON.stringify(value)).join(" | ")}`;
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`;
  if (schema.type !== "array") {
    return html`${[...typeNames(schema), ...restrictions(schema)].join(", ") || "anything"}`;
  }
  return html`list of ${describeSchema(Array.isArray(schema.items) ? undefined : schema.items)}`;
}

function describeFields({ properties = {}, required = [] }: JsonSchema): Html {
  const items = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? undefined : html` <em>optional</em>`;
    const text = typeof field === "boolean" ? undefined : field.description;
    return html`<li><code>${name}</code>${optional}: ${describeSchema(field)}${text && `. ${text}`}</li>`;
  });
  return html`<ul>${items}</ul>`;
}

function linkTo(ref: string): Html {
  const name = ref.split("/").at(-1);
  return html`<a href="#schema-${name}">${name}</a>`;
}

function join(parts: Html[], separator: string): Html {
  return html`${parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))}`;
}

function typeNames({ type, contentMediaType }: JsonSchema): string[] {
  if (contentMediaType) return ["file"];
  return type === undefined ? [] : [[type].flat().join(" or ")];
}

function restrictions(schema: JsonSchema): string[] {
  const { format, pattern, minimum, maximum, exclusiveMinimum, minLength, maxLength } = schema;
  return [
    format,
    !format && pattern ? `matches ${pattern}` : undefined,
    typeof exclusiveMinimum === "number" ? `more than ${exclusiveMinimum}` : undefined,
    range("", { from: minimum, to: maximum }),
    range(" characters", { from: minLength, to: maxLength }),
    schema.default === undefined ? undefined : `${JSON.stringify(schema.default)} if not given`,
  ].filter((text) => text !== undefined);
}

function range(unit: string, { from, to }: { from?: number; to?: number }): string | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined) return `${from}${unit} or more`;
  return from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
}

const styleHash = createHash("sha256").update(DOCS_STYLE).digest("base64");
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`;

/** The description of the API as OpenAPI and as a page. */
export function createDocsRoutes(
  { settings }: Pick<ServerDeps, "settings">,
  routes: readonly Route[],
): BoundRoute[] {
  const document = buildDocument({
    version: productVersion(),
    serverUrl: settings.VITE_API_URL,
    routes,
  });
  const page = renderDocsPage(document);
  return [
    handle(serviceRoutes.getOpenApi, () => ({ ...document })),
    handle(serviceRoutes.getDocs, (_, ctx) => {
      ctx.set("Content-Security-Policy", PAGE_POLICY);
      ctx.type = "html";
      return page;
    }),
  ];
}
