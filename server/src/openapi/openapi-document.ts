import type { z } from "zod";

/** The parts of an OpenAPI 3.1 document that this API makes use of. */
export interface OpenApiDocument {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ResponseDoc>;
}

export interface Parameter {
  in: "path" | "query" | "header";
  name: string;
  required: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface ResponseDoc {
  description: string;
  headers: Record<string, Header | { $ref: string }>;
  content?: Content;
}

export type Content = Record<string, { schema: JsonSchema }>;

interface Header {
  description: string;
  schema: JsonSchema;
}

export type SecurityScheme =
  | { type: "http"; scheme: "bearer"; bearerFormat: string }
  | { type: "apiKey"; in: "query" | "cookie"; name: string; description: string };
