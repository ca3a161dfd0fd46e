import type { UserCard } from "@shared/contract/account.ts";
import type { UserListQuery } from "@shared/contract/admin.ts";
import { ArrowDown, ArrowUp, Ellipsis, Image, TriangleAlert } from "lucide-react";
import { memo, type ReactNode, useRef } from "react";
import { formatCount, formatDay } from "../../../lib/format.ts";
import { Button } from "../../../ui/button.tsx";
import { isWaiting, openProof } from "../admin-state.ts";
import { type RowAction, type RowKeys, useRowKeys } from "./row-keys.ts";
import { SubscriptionState, UserTags } from "./user-card.tsx";
import { ProofIcon, TimeSince } from "./user-proof.tsx";

type Sort = NonNullable<UserListQuery["sort"]>;

interface UsersTableProps {
  users: readonly UserCard[];
  ownName: string | undefined;
  sort: Sort;
  selected: ReadonlySet<string>;
  busy: ReadonlySet<string>;
  onSort(sort: Sort): void;
  onToggle(usernames: readonly string[], isSelected: boolean): void;
  onAct(action: RowAction, user: UserCard, row: HTMLElement): void;
  /** The keys go beyond the last row. */
  onEnd(): void;
}

const cell = "px-1.5 py-0 sm:px-2 first:pl-2 sm:first:pl-3 last:pr-2 sm:last:pr-3";

/** Its rows are reached by arrow keys. */
const grid = { role: "grid", "aria-multiselectable": true } as const;

/** Users as rows of one height; on phones of one line. */
export function UsersTable(props: UsersTableProps) {
  const { users, selected, onToggle } = props;
  const { keys, current, onKeyDown } = useRowKeys(props);
  const count = users.filter(({ username }) => selected.has(username)).length;
  const names = users.map(({ username }) => username);
  const isAll = count > 0 && count === users.length;
  return (
    <div className="rounded-card border border-line bg-surface">
      <table
        {...grid}
        aria-label="Users"
        onKeyDown={onKeyDown}
        className="w-full table-fixed text-left text-sm"
      >
        <thead>
          <tr className="h-10 border-b border-line text-xs text-ink-faint">
            <th scope="col" className={`${cell} w-9 sm:w-10`}>
              <CheckBox
                label="Select all users shown"
                checked={isAll}
                partly={count > 0 && !isAll}
                onChange={() => onToggle(names, !isAll)}
              />
            </th>
            <SortHeading {...props} by="username" first="username">
              User
            </SortHeading>
            <th scope="col" className={`${cell} w-24 font-medium max-sm:hidden`}>
              Status
            </th>
            <SortHeading {...props} by="ends" first="ends" className="w-60 max-md:hidden">
              Subscription
            </SortHeading>
            <th scope="col" className={`${cell} w-18 text-right font-medium max-lg:hidden`}>
              Credits
            </th>
            <th scope="col" className={`${cell} w-13 font-medium sm:w-44`}>
              Proof
            </th>
            <SortHeading
              {...props}
              by="registered"
              first="-registered"
              className="w-28 max-xl:hidden"
            >
              Registered
            </SortHeading>
            <th scope="col" className={`${cell} w-31 sm:w-36`}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {users.map((user, index) => (
            <UserRow
              key={user.username}
              user={user}
              isSelf={user.username === props.ownName}
              isCurrent={index === current}
              isSelected={selected.has(user.username)}
              isBusy={props.busy.has(user.username)}
              keys={keys}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortHeadingProps {
  sort: Sort;
  onSort(sort: Sort): void;
  by: "username" | "ends" | "registered";
  /** The direction that is chosen first. */
  first: Sort;
  className?: string;
  children: string;
}

function SortHeading({ sort, onSort, by, first, className = "", children }: SortHeadingProps) {
  const isDown = sort === `-${by}`;
  const isSorted = isDown || sort === by;
  const Icon = isDown ? ArrowDown : ArrowUp;
  const opposite: Sort = isDown ? by : `-${by}`;
  const direction = isDown ? "descending" : "ascending";
  return (
    <th
      scope="col"
      aria-sort={isSorted ? direction : undefined}
      className={`${cell} font-medium ${className}`}
    >
      <button
        type="button"
        onClick={() => onSort(isSorted ? opposite : first)}
        className="-mx-1 inline-flex h-8 items-center gap-1 rounded px-1 hover:text-ink"
      >
        {children}
        {isSorted && <Icon aria-hidden className="size-3.5 text-accent" />}
      </button>
    </th>
  );
}

interface CheckBoxProps {
  label: string;
  checked: boolean;
  partly?: boolean;
  tabIndex?: number;
  onChange(extend: boolean): void;
}

function CheckBox({ label, checked, partly = false, tabIndex, onChange }: CheckBoxProps) {
  const extends_ = useRef(false);
  return (
    <label className="-m-2 flex size-9 cursor-pointer items-center justify-center">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        tabIndex={tabIndex}
        ref={(box) => {
          if (box) box.indeterminate = partly;
        }}
        onClick={(event) => {
          extends_.current = event.shiftKey;
        }}
        onChange={() => onChange(extends_.current)}
        className="size-4 cursor-pointer accent-accent"
      />
    </label>
  );
}

interface UserRowProps {
  user: UserCard;
  isSelf: boolean;
  isCurrent: boolean;
  isSelected: boolean;
  isBusy: boolean;
  keys: RowKeys;
}

const UserRow = memo(function UserRow({ user, keys, ...row }: UserRowProps) {
  const { username, email, payment_proof: proof, subscription } = user;
  const titleId = `user-${username}`;
  const act = (action: RowAction) => (event: { currentTarget: HTMLElement }) => {
    const element = event.currentTarget.closest("tr");
    if (element) keys.act(action, username, element);
  };
  return (
    <tr
      aria-labelledby={titleId}
      aria-selected={row.isSelected}
      data-username={username}
      tabIndex={row.isCurrent ? 0 : -1}
      onFocus={() => keys.focused(username)}
      className="h-13 scroll-mt-24 outline-offset-[-2px] aria-selected:bg-accent/8 focus-visible:outline-2 focus-visible:outline-accent sm:hover:bg-raised/50"
    >
      <td className={cell}>
        <CheckBox
          label={`Select ${username}`}
          checked={row.isSelected}
          tabIndex={-1}
          onChange={(extend) => keys.toggle(username, extend)}
        />
      </td>
      <th scope="row" className={`${cell} font-normal`}>
        <span className="flex min-w-0 items-center gap-1.5">
          <button
            type="button"
            id={titleId}
            aria-haspopup="dialog"
            title="Details"
            tabIndex={-1}
            onClick={act("open")}
            className="min-w-0 truncate rounded font-semibold hover:underline"
          >
            {username}
          </button>
          <UserTags user={user} isSelf={row.isSelf} isCompact />
        </span>
        <span className="block truncate text-xs text-ink-muted max-sm:hidden">{email}</span>
      </th>
      <td className={`${cell} max-sm:hidden`}>
        <span className={user.approved ? "text-buy" : "text-wait"}>
          {user.approved ? "Approved" : "Pending"}
        </span>
      </td>
      <td className={`${cell} figures truncate max-md:hidden`}>
        {subscription ? (
          <SubscriptionState subscription={subscription} isDay />
        ) : (
          <span className="text-ink-faint">{user.approved ? "No end" : "None"}</span>
        )}
      </td>
      <td className={`${cell} figures text-right max-lg:hidden`}>
        <span className="inline-flex items-center gap-1.5">
          {user.allow_image_upload && (
            <Image
              role="img"
              aria-label="Image upload allowed"
              className="size-3.5 text-ink-faint"
            />
          )}
          {formatCount(user.image_credits)}
        </span>
      </td>
      <td className={cell}>{proof && <ProofCell user={user} proof={proof} />}</td>
      <td className={`${cell} figures whitespace-nowrap text-ink-muted max-xl:hidden`}>
        {formatDay(user.created_at)}
      </td>
      <td className={cell}>
        <span className="flex items-center justify-end gap-0.5">
          <QuickAction user={user} isSelf={row.isSelf} isBusy={row.isBusy} act={act} />
          <button
            type="button"
            aria-label={`More actions for ${username}`}
            aria-haspopup="dialog"
            tabIndex={-1}
            onClick={act("more")}
            data-more
            className="inline-flex size-9 shrink-0 items-center justify-center rounded-control text-ink-muted transition-colors hover:bg-raised hover:text-ink"
          >
            <Ellipsis aria-hidden className="size-5" />
          </button>
        </span>
      </td>
    </tr>
  );
});

interface ProofCellProps {
  user: UserCard;
  proof: NonNullable<UserCard["payment_proof"]>;
}

function ProofCell({ user, proof }: ProofCellProps) {
  return (
    <span className="flex items-center gap-2">
      <button
        type="button"
        tabIndex={-1}
        aria-label={`Enlarge: Payment proof of ${user.username}`}
        aria-haspopup="dialog"
        onClick={() => openProof(user)}
        className="size-9 shrink-0 cursor-zoom-in rounded-control border border-line text-ink-muted transition-colors hover:border-ink-faint hover:text-ink"
      >
        <ProofIcon />
      </button>
      <span className="min-w-0 flex-1 leading-tight max-sm:hidden">
        <span className="flex items-center gap-1">
          <span className="truncate">{proof.sender_name}</span>
          {proof.duplicate_of && (
            <TriangleAlert
              role="img"
              aria-label="Duplicate image"
              className="size-3.5 shrink-0 text-wait"
            />
          )}
        </span>
        <span className="block text-xs text-ink-muted">{stateOf(user, proof)}</span>
      </span>
    </span>
  );
}

function stateOf(user: UserCard, proof: ProofCellProps["proof"]): ReactNode {
  if (isWaiting(user)) {
    return (
      <span className="text-wait">
        Waiting <TimeSince iso={proof.submitted_at} />
      </span>
    );
  }
  return proof.rejection ? "Rejected" : "Accepted";
}

interface QuickActionProps extends Pick<UserRowProps, "user" | "isSelf" | "isBusy"> {
  act(action: RowAction): (event: { currentTarget: HTMLElement }) => void;
}

/** What is most often done: an approval, or taking it back. */
function QuickAction({ user, isSelf, isBusy, act }: QuickActionProps) {
  if (user.approved) {
    return (
      <Button
        variant="ghost"
        size="sm"
        tabIndex={-1}
        disabled={isSelf}
        busy={isBusy}
        onClick={act("revoke")}
        className="px-2.5"
      >
        Revoke
      </Button>
    );
  }
  return (
    <Button size="sm" tabIndex={-1} busy={isBusy} onClick={act("approve")} className="h-8 px-2.5">
      Approve
    </Button>
  );
}
