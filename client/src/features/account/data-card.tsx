import { Dialog } from "@base-ui/react/dialog";
import { Form } from "@base-ui/react/form";
import { accountDeletionSchema } from "@shared/contract/account-requests.ts";
import { TIMEOUTS_MS } from "@shared/contract/constants.ts";
import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { z } from "zod";
import { api } from "../../lib/api/client.ts";
import { parseForm, useFormRequest } from "../../lib/api/forms.ts";
import { useMe } from "../../lib/me.ts";
import { saveFile } from "../../lib/save-file.ts";
import { useSession } from "../../lib/session.ts";
import { ErrorAlert } from "../../ui/alert.tsx";
import { Button, buttonClass, TextLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CredentialFields } from "../../ui/credential-fields.tsx";
import { dialogClass } from "../../ui/dialog-class.ts";
import { TextField } from "../../ui/text-field.tsx";

export function DataCard() {
  const download = useMutation({ mutationFn: downloadData });
  const [open, setOpen] = useState(false);
  return (
    <Card className="flex flex-col gap-4 p-6">
      <h2 className="text-lg font-semibold tracking-tight">Your data</h2>
      <p className="text-sm leading-relaxed text-ink-muted text-pretty">
        Download a copy of what is stored about you as a JSON file, or delete your account. The{" "}
        <TextLink to="/privacy">Privacy Policy</TextLink> says what is stored and why.
      </p>
      <ErrorAlert title="The download failed." message={download.error?.message} />
      <div className="flex flex-wrap gap-3">
        <Button
          Icon={Download}
          variant="secondary"
          busy={download.isPending}
          onClick={() => download.mutate()}
        >
          Download my data
        </Button>
        <Dialog.Root open={open} onOpenChange={setOpen}>
          <Dialog.Trigger className={buttonClass({ variant: "danger" })}>
            Delete my account
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className={dialogClass.backdrop} />
            <Dialog.Popup className={`${dialogClass.popup} ${dialogClass.narrow}`}>
              <Dialog.Title className={dialogClass.title}>Delete your account?</Dialog.Title>
              <DeletionForm />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      </div>
    </Card>
  );
}

async function downloadData(): Promise<void> {
  const timeoutMs = TIMEOUTS_MS.history;
  const data = await api({ path: "/me/data", timeoutMs, schema: z.json() });
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`my-data-${day}.json`, `${JSON.stringify(data, null, 2)}\n`, "application/json");
}

function DeletionForm() {
  const username = useMe()?.username;
  const signOut = useSession((session) => session.signOut);
  const { formProps, isPending, problem } = useFormRequest(async (form) => {
    const body = parseForm(accountDeletionSchema, form);
    await api({ method: "DELETE", path: "/me", body, schema: z.undefined() });
    signOut("deleted");
  });
  return (
    <Form {...formProps} className="mt-2 flex flex-col gap-5">
      <Dialog.Description className="leading-relaxed text-ink-muted text-pretty">
        Your signals, watchlist, channels, images, credits and payment proof are deleted with your
        account. This cannot be undone.
      </Dialog.Description>
      <TextField
        name="username"
        label={`Enter ${username ?? "your username"} to confirm`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        aria-required
      />
      <CredentialFields problem={problem} />
      <ErrorAlert message={problem?.message} />
      <div className={dialogClass.actions}>
        <Dialog.Close className={buttonClass({ variant: "secondary" })}>Cancel</Dialog.Close>
        <Button type="submit" variant="dangerSolid" busy={isPending}>
          Delete my account
        </Button>
      </div>
    </Form>
  );
}
