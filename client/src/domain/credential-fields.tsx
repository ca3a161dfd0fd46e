import { hasCode } from "../lib/api/errors.ts";
import { PasswordField, TextField } from "../ui/text-field.tsx";
import { useMe } from "./me.ts";

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
          hint="Or one of your recovery codes."
          autoCapitalize="none"
          spellCheck={false}
          autoComplete="one-time-code"
        />
      )}
    </>
  );
}
