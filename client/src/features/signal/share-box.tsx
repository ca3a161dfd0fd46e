import { useMutation } from "@tanstack/react-query";
import { useId } from "react";
import { formatDateTime } from "../../lib/format.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { fieldClass } from "../../ui/field-class.ts";
import { Notice } from "../../ui/notice.tsx";
import { shareSignal, unshareSignal } from "./signal-api.ts";
import { shareTexts as texts } from "./texts.ts";
import { readShareAgain } from "./use-signal-page.ts";

/** Makes and voids the link that shows a signal to others. */
export function ShareBox({ id, sharedAt }: { id: string; sharedAt: string | null }) {
  const making = useMutation({
    mutationFn: () => shareSignal(id),
    onSuccess: () => readShareAgain(id),
  });
  const revoke = async (): Promise<string> => {
    const { detail } = await unshareSignal(id);
    making.reset();
    await readShareAgain(id);
    return detail;
  };
  const isShared = sharedAt !== null || making.data !== undefined;
  return (
    <Card className="flex flex-col gap-4 p-5 sm:p-7">
      <h2 className="text-lg font-semibold tracking-tight">{texts.title}</h2>
      <p className="max-w-prose leading-relaxed text-ink-muted text-pretty">{texts.lead}</p>
      {making.data ? (
        <LinkField link={linkOf(making.data.token)} />
      ) : (
        sharedAt && (
          <p className="text-sm text-ink-faint">{texts.since(formatDateTime(sharedAt))}</p>
        )
      )}
      <div className="flex flex-wrap gap-3">
        <Button variant="secondary" busy={making.isPending} onClick={() => making.mutate()}>
          {isShared ? texts.renew : texts.create}
        </Button>
        {isShared && (
          <ConfirmButton
            label={texts.revoke}
            title={texts.revokeTitle}
            size="md"
            run={revoke}
            failureText={() => texts.failed}
          >
            {texts.revokeLoss}
          </ConfirmButton>
        )}
      </div>
      {making.isError && (
        <Notice tone="error" role="alert">
          {texts.failed}
        </Notice>
      )}
    </Card>
  );
}

const linkOf = (token: string): string => `${location.origin}/shared/${token}`;

function LinkField({ link }: { link: string }) {
  const id = useId();
  return (
    <div className={fieldClass.root}>
      <label htmlFor={id} className={fieldClass.label}>
        {texts.linkName}
      </label>
      <div className="flex items-center gap-3">
        <input
          id={id}
          readOnly
          value={link}
          onFocus={({ currentTarget }) => currentTarget.select()}
          className={`${fieldClass.input} min-w-0 flex-1`}
        />
        <CopyButton text={link} name={texts.linkName} />
      </div>
    </div>
  );
}
