import { z } from "zod";
import { MIN_PASSWORD_LENGTH } from "./constants.ts";

export const roleSchema = z.enum(["user", "admin"]);
export type Role = z.infer<typeof roleSchema>;

/** User names are unique without regard to case. */
export const usernameSchema = z.string().regex(/^[A-Za-z0-9_.-]{3,32}$/, {
  error: "Use 3 to 32 letters, digits, dots, dashes or underscores.",
});

const emailSchema = z.email({ error: "Enter a valid e-mail address." }).max(254);

export const newPasswordSchema = z
  .string()
  .min(MIN_PASSWORD_LENGTH, {
    error: `New password must be at least ${MIN_PASSWORD_LENGTH} characters long.`,
  })
  .max(256, { error: "Use at most 256 characters." });

export const loginRequestSchema = z.object({
  username: z.string().min(1, { error: "Enter your username." }).max(320),
  password: z.string().min(1, { error: "Enter your password." }).max(256),
});
export type LoginRequest = z.infer<typeof loginRequestSchema>;

export const registerRequestSchema = z.object({
  username: usernameSchema,
  email: emailSchema,
  password: newPasswordSchema,
});
export type RegisterRequest = z.infer<typeof registerRequestSchema>;

/** The token in the link of an email. */
const mailTokenSchema = z.string().min(1, { error: "The link is incomplete." }).max(1_024);

export const verifyEmailRequestSchema = z.object({ token: mailTokenSchema });
export type VerifyEmailRequest = z.infer<typeof verifyEmailRequestSchema>;

export const forgotPasswordRequestSchema = z.object({ email: emailSchema });
export type ForgotPasswordRequest = z.infer<typeof forgotPasswordRequestSchema>;

export const resetPasswordRequestSchema = z.object({
  token: mailTokenSchema,
  new_password: newPasswordSchema,
});
export type ResetPasswordRequest = z.infer<typeof resetPasswordRequestSchema>;

export const changePasswordRequestSchema = z.object({
  current_password: z.string().min(1, { error: "Enter your current password." }).max(256),
  new_password: newPasswordSchema,
});
export type ChangePasswordRequest = z.infer<typeof changePasswordRequestSchema>;

/** Answer of `POST /login` and `POST /register`. */
export const sessionSchema = z.object({
  token: z.string(),
  approved: z.boolean(),
  role: roleSchema,
  username: z.string(),
});
export type Session = z.infer<typeof sessionSchema>;

/** Payment proof as its owner and the admin see it. */
export const paymentProofSchema = z.object({
  sender_name: z.string(),
  filename: z.string(),
  url: z.string(),
  submitted_at: z.iso.datetime(),
});
export type PaymentProof = z.infer<typeof paymentProofSchema>;

/** Payment proof for administrators; `duplicate_of` is another user who submitted the same image. */
export const adminPaymentProofSchema = paymentProofSchema.extend({
  duplicate_of: z.string().optional(),
});
export type AdminPaymentProof = z.infer<typeof adminPaymentProofSchema>;

/** Last event number of each stream the user may read; what `since` starts from. */
export const streamPositionsSchema = z.object({
  user: z.number().int().nonnegative(),
  admins: z.number().int().nonnegative().optional(),
});
export type StreamPositions = z.infer<typeof streamPositionsSchema>;

/** Response of `GET /me`. `stream_positions` is read before the rest, so no event in between is lost. */
export const meSchema = z.object({
  username: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  role: roleSchema,
  approved: z.boolean(),
  allow_image_upload: z.boolean(),
  image_credits: z.number().int(),
  payment_proof: paymentProofSchema.nullable(),
  stream_positions: streamPositionsSchema,
});
export type Me = z.infer<typeof meSchema>;

/** A user in the admin list and in admin events. */
export const userCardSchema = z.object({
  username: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  role: roleSchema,
  approved: z.boolean(),
  allow_image_upload: z.boolean(),
  image_credits: z.number().int(),
  payment_proof: adminPaymentProofSchema.nullable(),
  created_at: z.iso.datetime(),
});
export type UserCard = z.infer<typeof userCardSchema>;
