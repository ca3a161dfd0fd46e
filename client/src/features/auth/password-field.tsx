import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { TextField } from "../../ui/text-field.tsx";
import { authTexts } from "./texts.ts";

interface PasswordFieldProps {
  autoComplete: "current-password" | "new-password";
  hint?: string;
}

/** A password whose characters can be shown while it is typed. */
export function PasswordField({ autoComplete, hint }: PasswordFieldProps) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  const toggle = (
    <button
      type="button"
      aria-label={shown ? authTexts.hideCharacters : authTexts.showCharacters}
      onClick={() => setShown(!shown)}
      className="rounded-lg p-2 text-ink-faint transition-colors hover:text-ink"
    >
      <Icon aria-hidden className="size-5" />
    </button>
  );
  return (
    <TextField
      name="password"
      label={authTexts.password}
      type={shown ? "text" : "password"}
      autoComplete={autoComplete}
      aria-required
      {...(hint && { hint })}
      end={toggle}
    />
  );
}
