import { z } from "zod";
import { MIN_PASSWORD_LENGTH } from "./constants.ts";
import { codeSchema, passwordSchema, reauthenticationSchema } from "./reauthentication.ts";

/** Usernames are unique case-insensitively. */
export const usernameSchema = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_.-]{3,32}$/, {
    error: "Use 3 to 32 letters, digits, dots, dashes or underscores.",
  });

/** With an international domain as punycode (`xn--…`), as mail servers need it. Other texts stay as they are. */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  if (at === 0 || !/[^\p{ASCII}]/u.test(domain) || /[/\\?#:@\s]/.test(domain)) return address;
  const url = `http://${domain}`;
  return URL.canParse(url) ? address.slice(0, at) + new URL(url).hostname : address;
}

const DOMAIN_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
/** As email fields of HTML permit, except that the domain needs a dot. */
const EMAIL = new RegExp(
  String.raw`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${DOMAIN_LABEL}(?:\.${DOMAIN_LABEL})+$`,
);

export const emailSchema = z
  .string()
  .trim()
  .overwrite(withAsciiDomain)
  .regex(EMAIL, { error: "Enter a valid email address." })
  .max(254)
  .meta({ format: "email" });

const newPasswordSchema = z
  .string()
  .normalize("NFKC")
  .min(MIN_PASSWORD_LENGTH, {
    error: `New password must be at least ${MIN_PASSWORD_LENGTH} characters long.`,
  })
  .max(256, { error: "Use at most 256 characters." });

const ownPasswordSchema = passwordSchema.min(1, { error: "Enter your password." });

const ownCodeSchema = codeSchema.min(1, { error: "Enter a code." });

export const loginRequestSchema = z
  .object({
    /** Or the address. */
    username: z
      .string()
      .trim()
      .overwrite(withAsciiDomain)
      .min(1, { error: "Enter your username." })
      .max(320),
    password: ownPasswordSchema,
    /** Of the second factor, if it is on. */
    code: ownCodeSchema.optional(),
  })
  .meta({ id: "LoginRequest" });
export type LoginRequest = z.infer<typeof loginRequestSchema>;

export const registerRequestSchema = z
  .object({
    username: usernameSchema,
    email: emailSchema,
    password: newPasswordSchema,
  })
  .meta({ id: "RegisterRequest" });
export type RegisterRequest = z.infer<typeof registerRequestSchema>;

const mailTokenSchema = z.string().min(1, { error: "The link is incomplete." }).max(1_024);

export const verifyEmailRequestSchema = z
  .object({ token: mailTokenSchema })
  .meta({ id: "VerifyEmailRequest" });
export type VerifyEmailRequest = z.infer<typeof verifyEmailRequestSchema>;

export const forgotPasswordRequestSchema = z
  .object({ email: emailSchema })
  .meta({ id: "ForgotPasswordRequest" });
export type ForgotPasswordRequest = z.infer<typeof forgotPasswordRequestSchema>;

export const resetPasswordRequestSchema = z
  .object({
    token: mailTokenSchema,
    new_password: newPasswordSchema,
  })
  .meta({ id: "ResetPasswordRequest" });
export type ResetPasswordRequest = z.infer<typeof resetPasswordRequestSchema>;

export const changePasswordRequestSchema = z
  .object({
    current_password: passwordSchema.min(1, { error: "Enter your current password." }),
    new_password: newPasswordSchema,
  })
  .meta({ id: "ChangePasswordRequest" });
export type ChangePasswordRequest = z.infer<typeof changePasswordRequestSchema>;

export const startTwoFactorSchema = reauthenticationSchema
  .pick({ password: true })
  .meta({ id: "StartTwoFactorRequest" });

/** `username` confirms which account it is. */
export const accountDeletionSchema = z
  .object({ username: z.string().trim().min(1, { error: "Enter your username." }).max(32) })
  .extend(reauthenticationSchema.shape)
  .meta({ id: "AccountDeletion" });
export type AccountDeletion = z.infer<typeof accountDeletionSchema>;

export const confirmTwoFactorSchema = z
  .object({ code: ownCodeSchema })
  .meta({ id: "ConfirmTwoFactorRequest" });

export const disableTwoFactorSchema = z
  .object({ password: ownPasswordSchema, code: ownCodeSchema })
  .meta({ id: "DisableTwoFactorRequest" });
export type DisableTwoFactorRequest = z.infer<typeof disableTwoFactorSchema>;

/** `qr_svg` shows `otpauth_url`, which contains the secret. */
export const twoFactorSetupSchema = z
  .object({ secret: z.string(), otpauth_url: z.string(), qr_svg: z.string() })
  .meta({ id: "TwoFactorSetup" });
export type TwoFactorSetup = z.infer<typeof twoFactorSetupSchema>;

export const recoveryCodesSchema = z
  .object({ recovery_codes: z.array(z.string()) })
  .meta({ id: "RecoveryCodes" });
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>;

/** The sessions of a user; `current` is the one that asks. */
export const sessionListSchema = z
  .object({
    sessions: z.array(
      z.object({
        id: z.uuid(),
        created_at: z.iso.datetime(),
        last_seen_at: z.iso.datetime(),
        user_agent: z.string(),
        current: z.boolean(),
      }),
    ),
  })
  .meta({ id: "SessionList" });
export type SessionList = z.infer<typeof sessionListSchema>;
