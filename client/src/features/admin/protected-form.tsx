import { useState } from "react";
import { CredentialFields } from "../../domain/credential-fields.tsx";
import { hasCode } from "../../lib/api/errors.ts";
import { Alert, ErrorAlert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";

type Problem = Parameters<typeof hasCode>[0];

/** Whether a form has to ask for the password: from a refusal for lack of one until it is saved. */
export function usePasswordQuestion(problem: Problem) {
  const [asks, setAsks] = useState(false);
  const isRefused = hasCode(problem, "reauthentication-required");
  if (isRefused && !asks) setAsks(true);
  return { asks, isRefused, stop: () => setAsks(false) };
}

interface ProtectedFormEndProps {
  question: ReturnType<typeof usePasswordQuestion>;
  /** What the password is for: "change the branding". */
  purpose: string;
  failure: string;
  problem: { message: string } | null;
  /** Of the button: "Save branding". */
  action: string;
  isChanged: boolean;
  isPending: boolean;
  onDiscard(): void;
}

/** The end of a form that a stolen session must not save: the password where it is needed, what failed, and the buttons. */
export function ProtectedFormEnd(props: ProtectedFormEndProps) {
  const { question, purpose, failure, problem, action, isChanged, isPending, onDiscard } = props;
  return (
    <>
      {question.asks && (
        <div className="flex max-w-md flex-col gap-5">
          <Alert tone="info" role="status">
            Enter your password to {purpose}, then save again.
          </Alert>
          <CredentialFields problem={null} />
        </div>
      )}
      {!question.isRefused && <ErrorAlert title={failure} message={problem?.message} />}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" disabled={!isChanged} busy={isPending}>
          {isPending ? "Saving..." : action}
        </Button>
        {isChanged && (
          <Button variant="ghost" disabled={isPending} onClick={onDiscard}>
            Discard changes
          </Button>
        )}
      </div>
    </>
  );
}
