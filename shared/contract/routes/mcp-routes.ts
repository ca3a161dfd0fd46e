import { API_KEY_SCOPES } from "@shared/contract/api-keys.ts";
import { z } from "zod";
import { defineRoute } from "./define-route.ts";

/** Each tool needs the scopes of the route that it calls. */
const mcp = { tag: "Keys", access: "user", scopes: API_KEY_SCOPES } as const;

export const mcpRoutes = {
  sendMcpMessage: defineRoute("POST /mcp", {
    ...mcp,
    summary: "MCP server for language models (Streamable HTTP, without sessions)",
    description:
      "Takes one JSON-RPC message. Its tools call the routes of this API and need their scopes. Pages of other origins are refused.",
    request: { body: z.looseObject({}).meta({ id: "McpMessage" }) },
    bodyTypes: ["json"],
    responses: {
      200: {
        description: "Server-sent events with the response.",
        contentType: "text/event-stream",
      },
      202: { description: "A notification was taken." },
    },
    errors: ["foreign-origin"],
  }),
  openMcpStream: defineRoute("GET /mcp", {
    ...mcp,
    summary: "Refused: the MCP server sends nothing unless it is asked",
    responses: { 405: { description: "Always." } },
    errors: ["method-not-allowed", "foreign-origin"],
  }),
};
