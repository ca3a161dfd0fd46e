import { Html, html } from "@shared/node/html.ts";
import { describeFields, describeSchema } from "./describe-schema.ts";
import type { Content, OpenApiDocument, Operation, Parameter } from "./openapi-document.ts";

/** The page's whole style; the policy of `/docs` allows this text and nothing else. */
export const DOCS_STYLE = `
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

interface Route {
  method: string;
  path: string;
  operation: Operation;
}

/** The document as one page for people, without scripts and without anything from outside. */
export function renderDocsPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const routes = listRoutes(document);
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
<main>${tags.map((tag) => renderTag(tag, routes))}
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

function listRoutes({ paths }: OpenApiDocument): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function renderTag(tag: OpenApiDocument["tags"][number], routes: readonly Route[]): Html {
  const own = routes.filter(({ operation }) => operation.tags.includes(tag.name));
  return html`<section id="${tag.name}"><h2>${tag.name}</h2><p>${tag.description}</p>
${own.map(renderRoute)}</section>
`;
}

function renderRoute({ method, path, operation }: Route): Html {
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

/** Media types that share a schema are told in one go. */
function renderContent(content: Content): Html {
  const [first] = Object.values(content);
  return html`${describeSchema(first?.schema)} as ${Object.keys(content).join(", ")}`;
}

/** What stands between backticks is code. */
function withCode(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
