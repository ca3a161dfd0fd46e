import { z } from "zod";
import type { JsonSchema } from "./openapi-document.ts";
import { ANSWER_SCHEMAS, REQUEST_SCHEMAS } from "./schemas.ts";

type Direction = "input" | "output";
type Override = NonNullable<z.core.ToJSONSchemaParams["override"]>;

/** Address of a named schema inside the document. */
export const refTo = (name: string): string => `#/components/schemas/${name}`;

/** All named schemas, referring to each other: of bodies as they are sent, of answers as they arrive. */
export function namedSchemas(): Record<string, JsonSchema> {
  return { ...convertAll(REQUEST_SCHEMAS, "input"), ...convertAll(ANSWER_SCHEMAS, "output") };
}

function convertAll(
  schemas: Record<string, z.core.$ZodType>,
  io: Direction,
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const converted = z.toJSONSchema(registry, { io, uri: refTo, override: overrideFor(io) }).schemas;
  return Object.fromEntries(
    Object.entries(converted).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  );
}

/** One entry for each field of a query, of headers or of a path. */
export function fieldsOf(
  schema: z.ZodObject,
): { name: string; required: boolean; schema: JsonSchema }[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    override: overrideFor("input"),
  });
  return Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: typeof field === "boolean" ? {} : field,
  }));
}

/**
 * Says more than zod where that is silent, and less where it only repeats itself: a transformed value is described
 * by what it must become; times need no pattern beside their format, and integers that are safe in JavaScript are so
 * for whoever sends them, but no news for whoever gets them.
 */
const overrideFor =
  (io: Direction): Override =>
  ({ zodSchema, jsonSchema }) => {
    const { def } = zodSchema._zod;
    if (def.type === "pipe" && !saysWhatItTakes(jsonSchema)) {
      const { $schema, ...target } = z.toJSONSchema(def.out, {
        io: "output",
        unrepresentable: "any",
        override: overrideFor(io),
      });
      Object.assign(jsonSchema, target);
    }
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    if (io === "input") return;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  };

const saysWhatItTakes = ({ type, anyOf, $ref }: JsonSchema): boolean =>
  (type ?? anyOf ?? $ref) !== undefined;
