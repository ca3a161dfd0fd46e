import { z } from "zod";

interface Declaration<Input extends z.ZodRawShape, Target extends z.ZodRawShape> {
  /** As users see it. */
  name: string;
  /** True if each user has at most one. */
  isSingle: boolean;
  /** True if people read its messages, which therefore wait during quiet hours. */
  isForPeople: boolean;
  /** Why a channel was turned off by its receiver, in the middle of a sentence, and what its user can do. */
  gone: { reason: string; remedy: string };
  /** What `POST /channels` needs beside the kind. */
  input: Input;
  /** Where its messages go, with the secrets for it. Stored encrypted; no answer contains it. */
  target: Target;
}

export const REFUSED = {
  reason: "the receiver refused messages",
  remedy: "You can turn it on again.",
} as const;

/** What all packages know of a kind of channel. */
export const defineChannelKind = <
  Kind extends string,
  Input extends z.ZodRawShape,
  Target extends z.ZodRawShape,
>(
  kind: Kind,
  { input, target, ...facts }: Declaration<Input, Target>,
) => ({
  ...facts,
  kind,
  inputFields: Object.entries<z.core.$ZodType>(input),
  input: z.object({ kind: z.literal(kind), ...input }),
  target: z.object({ kind: z.literal(kind), ...target }),
});

/** An address that a user enters. The server checks where it leads. */
export const addressSchema = z
  .string({ error: "Enter a URL." })
  .min(1, { error: "Enter a URL." })
  .max(2_048, { error: "Use at most 2,048 characters." });
