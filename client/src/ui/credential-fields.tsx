import { hasCode } from "../lib/api/errors.ts";
import { useMe } from "../lib/me.ts";
import { PasswordField, TextField } from "./text-field.tsx";

/** Asks for the user's own password, and for a code if their second factor is on. */
export function CredentialFields({ problem }: { problem: Error | null }) {
  const hasSecondFactor = useMe()?.two_factor.enabled;
  return (
    <>
      <PasswordField name="password" label="Your password" autoComplete="current-password" />
      {/* The second factor may have been turned on in another tab. */}
      {(hasSecondFactor || hasCode(problem, "reauthentication-required")) && (
        <TextField
          name="code"
          label="Code of your authenticator app"
          inputMode="numeric"
          autoComplete="one-time-code"
        />
      )}
    </>
  );
}
