import { MIN_PASSWORD_LENGTH } from "@shared/contract/constants.ts";
import { PasswordField } from "./password-field.tsx";

const texts = {
  newPassword: "New password",
  hint: `At least ${MIN_PASSWORD_LENGTH} characters.`,
  confirmation: "Confirm new password",
} as const;

/** A new password, typed twice: the fields `new_password` and `confirmation` of the form around them. */
export function NewPasswordFields() {
  return (
    <>
      <PasswordField
        name="new_password"
        label={texts.newPassword}
        hint={texts.hint}
        autoComplete="new-password"
      />
      <PasswordField name="confirmation" label={texts.confirmation} autoComplete="new-password" />
    </>
  );
}
