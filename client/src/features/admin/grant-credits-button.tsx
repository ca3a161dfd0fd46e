import { Dialog } from "@base-ui/react/dialog";
import { Form } from "@base-ui/react/form";
import type { UserCard } from "@shared/contract/account.ts";
import { creditGrantSchema } from "@shared/contract/admin.ts";
import { useMutation } from "@tanstack/react-query";
import { Coins } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { buttonClass } from "../../ui/button-class.ts";
import { dialogClass } from "../../ui/dialog-class.ts";
import { Notice } from "../../ui/notice.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { TextField } from "../../ui/text-field.tsx";
import { grantCredits } from "./admin-api.ts";
import { runAction } from "./run-action.ts";
import { actionTexts, failureTexts, creditTexts as texts } from "./texts.ts";

/** Asks for a number of credits and adds it to the user's balance. */
export function GrantCreditsButton({ user }: { user: UserCard }) {
  const [open, setOpen] = useState(false);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className={buttonClass({ variant: "secondary", size: "sm" })}>
        <Coins aria-hidden className="size-4" />
        {actionTexts.grantCredits}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialogClass.backdrop} />
        <Dialog.Popup className={`${dialogClass.popup} ${dialogClass.narrow}`}>
          <Dialog.Title className={dialogClass.title}>{texts.title(user.username)}</Dialog.Title>
          <GrantForm user={user} onDone={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function GrantForm({ user, onDone }: { user: UserCard; onDone(): void }) {
  const [credits, setCredits] = useState("");
  const [isInvalid, setInvalid] = useState(false);
  const grant = useMutation({
    mutationFn: async (amount: number) =>
      showToast({ title: await runAction(grantCredits(user.username, amount)) }),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { data } = creditGrantSchema.safeParse({ credits: credits.trim() });
    setInvalid(!data);
    if (data && !grant.isPending) grant.mutate(data.credits);
  };
  return (
    <Form
      errors={isInvalid ? { credits: texts.invalid } : {}}
      onSubmit={submit}
      className="mt-4 flex flex-col"
    >
      <TextField
        name="credits"
        label={texts.label}
        hint={texts.hint(user.image_credits)}
        inputMode="numeric"
        autoComplete="off"
        value={credits}
        onValueChange={(value) => {
          setCredits(value);
          setInvalid(false);
        }}
      />
      {grant.isError && (
        <Notice tone="error" role="alert" className="mt-4">
          {failureTexts.grantCredits}
        </Notice>
      )}
      <div className={dialogClass.actions}>
        <Dialog.Close className={buttonClass({ variant: "secondary" })}>
          {texts.cancel}
        </Dialog.Close>
        <Button type="submit" busy={grant.isPending}>
          {texts.submit}
        </Button>
      </div>
    </Form>
  );
}
