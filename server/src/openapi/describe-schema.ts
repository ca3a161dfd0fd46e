import { type Html, html } from "@shared/node/html.ts";
import type { JsonSchema } from "./openapi-document.ts";

/** A schema in a few words: `integer, 10 to 500`, `"BUY" | "SELL"`, a link to a named one. */
export function describeSchema(schema: JsonSchema | boolean | undefined): Html {
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

/** The fields of an object as a list. */
export function describeFields({ properties = {}, required = [] }: JsonSchema): Html {
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
