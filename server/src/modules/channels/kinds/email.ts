import { AppError } from "@shared/runtime/app-error.ts";
import { type MakeTarget, secretsOf } from "./new-target.ts";

export const emailTarget: MakeTarget = (deps, _, { email, emailVerified }) => {
  if (!emailVerified) {
    throw new AppError("email-not-verified", "Verify your email address first.");
  }
  return {
    target: secretsOf(deps).seal({ kind: "email" }),
    label: email,
    uniqueKey: "email",
    notice: "Messages of your account will also be sent to your email address.",
  };
};
