import { z } from "zod";

/**
 * A code of an authenticator app, or a recovery code. Apps show codes in groups, and keyboards of some alphabets type
 * other digits (`１２３`), so blanks and dashes are removed and compatible characters replaced.
 */
export const codeSchema = z
  .string()
  .normalize("NFKC")
  .overwrite((code) => code.replace(/[\s\p{Dash}]/gu, ""))
  .max(32);

/** Longer than a new one may be: the same password takes more characters where a keyboard types it decomposed. */
export const passwordSchema = z.string().max(1_024);

/** The caller's own credentials, for changes that a stolen session must not make. */
export const reauthenticationSchema = z.object({
  password: passwordSchema.optional(),
  code: codeSchema.optional(),
});
export type Reauthentication = z.infer<typeof reauthenticationSchema>;
