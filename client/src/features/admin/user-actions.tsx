import type { UserCard } from "@shared/contract/account.ts";
import { useMutation } from "@tanstack/react-query";
import { Check, ImageOff, ImagePlus } from "lucide-react";
import { errorText } from "../../lib/api/api-error.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { showToast } from "../../ui/show-toast.ts";
import { actOnUser, setImageAccess } from "./admin-api.ts";
import { GrantCreditsButton } from "./grant-credits-button.tsx";
import { runAction } from "./run-action.ts";
import { failureTexts, actionTexts as texts } from "./texts.ts";
import { UserDeletions } from "./user-deletions.tsx";

interface UserActionsProps {
  user: UserCard;
  /** The administrator's own card. */
  isSelf: boolean;
}

/** Everything that can be done with one user. */
export function UserActions({ user, isSelf }: UserActionsProps) {
  const { username, allow_image_upload: isAllowed } = user;
  const approve = useMutation({
    mutationFn: async () => showToast({ title: await runAction(actOnUser("approve", username)) }),
  });
  const access = useMutation({
    mutationFn: async (allow: boolean) =>
      showToast({ title: await runAction(setImageAccess(username, allow)) }),
  });
  const AccessIcon = isAllowed ? ImageOff : ImagePlus;
  return (
    <div className="mt-auto flex flex-col gap-3">
      {approve.error && <Failed text={failureTexts.approve(username)} error={approve.error} />}
      {access.error && <Failed text={failureTexts.imageAccess} error={access.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          variant={user.approved ? "secondary" : "primary"}
          size="sm"
          disabled={user.approved}
          busy={approve.isPending}
          onClick={() => approve.mutate()}
        >
          {!approve.isPending && <Check aria-hidden className="size-4" />}
          {texts.approve}
        </Button>
        <Button
          variant="secondary"
          size="sm"
          busy={access.isPending}
          onClick={() => access.mutate(!isAllowed)}
        >
          {!access.isPending && <AccessIcon aria-hidden className="size-4" />}
          {isAllowed ? texts.blockImages : texts.allowImages}
        </Button>
        <GrantCreditsButton user={user} />
      </div>
      <UserDeletions user={user} isSelf={isSelf} />
    </div>
  );
}

function Failed({ text, error }: { text: string; error: Error }) {
  return (
    <Notice tone="error" role="alert" title={text}>
      {errorText(error, "")}
    </Notice>
  );
}
