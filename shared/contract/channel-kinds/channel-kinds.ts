import { z } from "zod";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { telegram } from "./telegram.ts";
import { webPush } from "./web-push.ts";
import { webhook } from "./webhook.ts";

/** Every kind of channel. Add a new one here; the compiler then names the packages that lack it. */
const CHANNEL_KINDS = [email, telegram, webPush, webhook, discord] as const;

type Declared = (typeof CHANNEL_KINDS)[number];
export type ChannelKind = Declared["kind"];

export const channelKindSchema = z.enum(CHANNEL_KINDS.map(({ kind }) => kind));

const BY_KIND = new Map<ChannelKind, Declared>(
  CHANNEL_KINDS.map((declared) => [declared.kind, declared]),
);

/** What is declared of a kind. */
export const factsOfKind = (
  kind: ChannelKind,
): Pick<Declared, "name" | "isSingle" | "isForPeople" | "gone"> => declarationOf(kind);

function declarationOf(kind: ChannelKind): Declared {
  const declared = BY_KIND.get(kind);
  if (!declared) throw new RangeError(`No channel is a ${kind}.`);
  return declared;
}

/** Where the messages of a channel go, with the secrets for it. */
export const channelTargetSchema = z.union(CHANNEL_KINDS.map(({ target }) => target));
export type ChannelTarget = z.infer<typeof channelTargetSchema>;

/** The fields of `POST /channels` that only some kinds have. */
export const kindFields: Record<string, z.ZodType> = {};
for (const { name, inputFields } of CHANNEL_KINDS) {
  for (const [field, schema] of inputFields) {
    const ofKind = `${name}: ${z.globalRegistry.get(schema)?.description ?? field}`;
    const former = kindFields[field]?.description;
    const description = former === undefined ? ofKind : `${former}. ${ofKind}`;
    kindFields[field] = z.optional(schema).meta({ description });
  }
}

/** Reports what the kind of a new channel lacks. */
export function checkKindFields(ctx: z.core.ParsePayload<{ kind: ChannelKind }>): void {
  const { error } = declarationOf(ctx.value.kind).input.safeParse(ctx.value);
  for (const issue of error?.issues ?? []) {
    ctx.issues.push({ code: "custom", input: ctx.value, path: issue.path, message: issue.message });
  }
}
