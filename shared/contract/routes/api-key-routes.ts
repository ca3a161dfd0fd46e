import {
  apiKeyListSchema,
  createdApiKeySchema,
  newApiKeySchema,
} from "@shared/contract/api-keys.ts";
import { z } from "zod";
import { defineRoute } from "./define-route.ts";

const ownKeys = { tag: "Keys", access: "user" } as const;

export const apiKeyRoutes = {
  listApiKeys: defineRoute("GET /me/api-keys", {
    ...ownKeys,
    summary: "Your API keys, newest first",
    responses: {
      200: { description: "The keys, without what is secret.", schema: apiKeyListSchema },
    },
  }),
  createApiKey: defineRoute("POST /me/api-keys", {
    ...ownKeys,
    summary: "Create an API key",
    description:
      "The `key` is shown this one time. Send it as the bearer token of REST calls, of `POST /mcp`, and as `auth.token` of Socket.IO. The user gets an email about it. All keys end when the password is changed or reset.",
    // Each sends an email to the user.
    limits: [
      { name: "api-keys-added", points: 60, per: "hour", by: ["user"], notAfter: "invalid-input" },
    ],
    request: { body: newApiKeySchema },
    bodyTypes: ["json"],
    responses: { 201: { description: "The key.", schema: createdApiKeySchema } },
    errors: ["too-many-keys"],
  }),
  deleteApiKey: defineRoute("DELETE /me/api-keys/:id", {
    ...ownKeys,
    summary: "End an API key",
    description: "Calls with it are refused from then on, and its sockets are closed.",
    request: { params: z.object({ id: z.string().meta({ description: "The `id` of the key." }) }) },
    responses: { 204: { description: "The key has ended." } },
    errors: ["not-found"],
  }),
};
