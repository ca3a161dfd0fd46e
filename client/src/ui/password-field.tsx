import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { TextField } from "./text-field.tsx";

const texts = { show: "Show characters", hide: "Hide characters" } as const;

interface PasswordFieldProps {
  name: string;
  label: string;
  autoComplete: "current-password" | "new-password";
  hint?: string;
}

/** A password whose characters can be shown while it is typed. */
export function PasswordField(field: PasswordFieldProps) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  const toggle = (
    <button
      type="button"
      aria-label={shown ? texts.hide : texts.show}
      onClick={() => setShown(!shown)}
      className="rounded-lg p-2 text-ink-faint transition-colors hover:text-ink"
    >
      <Icon aria-hidden className="size-5" />
    </button>
  );
  return <TextField {...field} type={shown ? "text" : "password"} aria-required end={toggle} />;
}
