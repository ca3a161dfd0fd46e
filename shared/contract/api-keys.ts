import { z } from "zod";

/** What a key may do. A call that is open to none of its scopes is refused with `key-scope`. */
export const API_KEY_SCOPES = ["read", "signals", "watchlist"] as const;
export const apiKeyScopeSchema = z.enum(API_KEY_SCOPES, {
  error: `Choose of ${API_KEY_SCOPES.join(", ")}.`,
});
export type ApiKeyScope = z.infer<typeof apiKeyScopeSchema>;

export const MAX_API_KEYS = 10;
/** Of all keys of a user together, and of their sessions in calls that have limits of their own. */
export const API_KEY_CALLS_PER_MINUTE = 600;

const MAX_EXPIRY_DAYS = 3_650;

export const newApiKeySchema = z
  .object({
    name: z
      .string()
      .trim()
      .min(1, { error: "Enter a name." })
      .max(50, { error: "Use at most 50 characters." })
      .regex(/^\P{Cc}*$/u, { error: "Use one line." }),
    scopes: z
      .array(apiKeyScopeSchema)
      .min(1, { error: "Choose at least one scope." })
      .max(20)
      .transform((scopes) => API_KEY_SCOPES.filter((scope) => scopes.includes(scope))),
    /** Never if absent. */
    expires_in_days: z
      .int({ error: "Use a whole number of days." })
      .min(1, { error: "Use at least one day." })
      .max(MAX_EXPIRY_DAYS, { error: `Use at most ${MAX_EXPIRY_DAYS} days.` })
      .nullish(),
  })
  .meta({ id: "NewApiKey" });
export type NewApiKey = z.infer<typeof newApiKeySchema>;

export const apiKeySchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().meta({ description: "The first characters of the key." }),
    scopes: z.array(apiKeyScopeSchema),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "Exact to a minute; null if it was never used." }),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof apiKeySchema>;

export const createdApiKeySchema = apiKeySchema
  .extend({ key: z.string().meta({ description: "The key. It is shown this one time." }) })
  .meta({ id: "CreatedApiKey" });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

export const apiKeyListSchema = z
  .object({ keys: z.array(apiKeySchema) })
  .meta({ id: "ApiKeyList" });
export type ApiKeyList = z.infer<typeof apiKeyListSchema>;
