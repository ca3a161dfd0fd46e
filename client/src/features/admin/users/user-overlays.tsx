import { Popover } from "@base-ui/react/popover";
import type { UserCard } from "@shared/contract/account.ts";
import { type RefObject, useRef } from "react";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import type { OpenedRow } from "./opened-row.ts";
import { AccountActions, revocationOf, UserActions } from "./user-actions.tsx";

interface UserOverlayProps {
  opened: OpenedRow | null;
  /** As the list has it now. */
  user: UserCard | undefined;
  isSelf: boolean;
  onClose(): void;
}

/** The overflow menu of a row, and the question before its user is revoked. */
export function UserOverlays({ opened, user, isSelf, onClose }: UserOverlayProps) {
  const row = useRef<HTMLElement | null>(null);
  row.current = opened?.row ?? row.current;
  return (
    <>
      <MoreActions
        user={opened?.kind === "more" ? user : undefined}
        isSelf={isSelf}
        row={row}
        onClose={onClose}
      />
      {opened?.kind === "revoke" && (
        <ConfirmDialog
          {...revocationOf(opened.user)}
          label="Revoke"
          open
          opener={row}
          onOpenChange={(open) => !open && onClose()}
        />
      )}
    </>
  );
}

interface MoreActionsProps {
  /** Undefined while it is closed. */
  user: UserCard | undefined;
  isSelf: boolean;
  row: RefObject<HTMLElement | null>;
  onClose(): void;
}

/** All that can be done to a user. */
function MoreActions({ user, isSelf, row, onClose }: MoreActionsProps) {
  return (
    <Popover.Root open={user !== undefined} onOpenChange={(open) => !open && onClose()}>
      <Popover.Portal>
        <Popover.Positioner
          anchor={() => row.current?.querySelector("[data-more]") ?? null}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-30"
        >
          <Popover.Popup
            finalFocus={row}
            className="w-[min(24rem,calc(100vw-1rem))] rounded-card border border-line-strong bg-surface p-4 shadow-float outline-none"
          >
            {user && (
              <div className="flex flex-col gap-3">
                <Popover.Title className="font-semibold">Actions for {user.username}</Popover.Title>
                <UserActions user={user} isSelf={isSelf} onDeleted={onClose} />
                <AccountActions user={user} isSelf={isSelf} />
                {isSelf && (
                  <p className="text-xs text-ink-faint">
                    You can't revoke or delete your own account.
                  </p>
                )}
              </div>
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
