import { z } from "zod";
import { reauthenticationSchema } from "./account.ts";
import { MIN_PASSWORD_LENGTH } from "./constants.ts";

/** Usernames are unique case-insensitively. */
export const usernameSchema = z.string().regex(/^[A-Za-z0-9_.-]{3,32}$/, {
  error: "Use 3 to 32 letters, digits, dots, dashes or underscores.",
});

const emailSchema = z.email({ error: "Enter a valid email address." }).max(254);

const newPasswordSchema = z
  .string()
  .min(MIN_PASSWORD_LENGTH, {
    error: `New password must be at least ${MIN_PASSWORD_LENGTH} characters long.`,
  })
  .max(256, { error: "Use at most 256 characters." });

const passwordSchema = z.string().min(1, { error: "Enter your password." }).max(256);

/** A code of an authenticator app, or a recovery code. */
const codeSchema = z.string().trim().min(1, { error: "Enter a code." }).max(32);

export const loginRequestSchema = z
  .object({
    username: z.string().min(1, { error: "Enter your username." }).max(320),
    password: passwordSchema,
    /** Of the second factor, if it is on. */
    code: codeSchema.optional(),
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
    current_password: z.string().min(1, { error: "Enter your current password." }).max(256),
    new_password: newPasswordSchema,
  })
  .meta({ id: "ChangePasswordRequest" });
export type ChangePasswordRequest = z.infer<typeof changePasswordRequestSchema>;

export const startTwoFactorSchema = reauthenticationSchema
  .pick({ password: true })
  .meta({ id: "StartTwoFactorRequest" });

/** `username` confirms which account it is. */
export const accountDeletionSchema = z
  .object({ username: z.string().min(1, { error: "Enter your username." }).max(32) })
  .extend(reauthenticationSchema.shape)
  .meta({ id: "AccountDeletion" });
export type AccountDeletion = z.infer<typeof accountDeletionSchema>;

export const confirmTwoFactorSchema = z
  .object({ code: codeSchema })
  .meta({ id: "ConfirmTwoFactorRequest" });

export const disableTwoFactorSchema = z
  .object({ password: passwordSchema, code: codeSchema })
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
