import type { UserCard } from "@shared/contract/account.ts";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";

export type RowAction = "open" | "more" | "approve" | "revoke" | "proof";

interface KeyedTable {
  users: readonly UserCard[];
  selected: ReadonlySet<string>;
  onToggle(usernames: readonly string[], isSelected: boolean): void;
  onAct(action: RowAction, user: UserCard, row: HTMLElement): void;
  onEnd(): void;
}

export interface RowKeys {
  act(action: RowAction, username: string, row: HTMLElement): void;
  /** @param extend selects the rows from the last toggled one to this one */
  toggle(username: string, extend: boolean): void;
  focused(username: string): void;
}

/** Letters that act on the row with the focus. */
const ACTION_KEYS: Readonly<Record<string, RowAction>> = {
  Enter: "open",
  a: "approve",
  r: "revoke",
  p: "proof",
  m: "more",
};

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** A table whose rows are reached by arrow keys and acted on by letters. One row is a stop of the Tab key. */
export function useRowKeys(table: KeyedTable) {
  const latest = useRef(table);
  useEffect(() => {
    latest.current = table;
  });
  const [focusedName, setFocusedName] = useState<string | null>(null);
  const anchor = useRef<string | null>(null);
  const keys = useMemo((): RowKeys => {
    const indexOf = (username: string | null) =>
      latest.current.users.findIndex((user) => user.username === username);
    return {
      act(action, username, row) {
        const user = latest.current.users[indexOf(username)];
        if (user) latest.current.onAct(action, user, row);
      },
      toggle(username, extend) {
        const { users, selected, onToggle } = latest.current;
        const to = indexOf(username);
        const from = extend ? indexOf(anchor.current) : -1;
        const range = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
        const names = users.slice(range[0], (range[1] ?? to) + 1).map((user) => user.username);
        onToggle(names, extend || !selected.has(username));
        anchor.current = username;
      },
      focused: setFocusedName,
    };
  }, []);
  const index = table.users.findIndex(({ username }) => username === focusedName);
  const current = Math.max(0, index);
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) =>
    press(event, { table, keys, current });
  return { keys, current, onKeyDown };
}

interface Pressed {
  table: KeyedTable;
  keys: RowKeys;
  current: number;
}

function press(event: KeyboardEvent<HTMLTableElement>, pressed: Pressed): void {
  const { currentTarget, target, key } = event;
  const row = target instanceof HTMLElement ? target.closest<HTMLElement>("tbody tr") : null;
  // Dialogs that a row has opened are below it for React only.
  if (!row || !currentTarget.contains(row) || event.altKey) return;
  if (runKey(event, row, pressed)) event.preventDefault();
  else if (key === "Escape") pressed.table.onToggle([...pressed.table.selected], false);
}

/** @returns whether the key has a meaning here */
function runKey(event: KeyboardEvent, row: HTMLElement, pressed: Pressed): boolean {
  if (event.ctrlKey || event.metaKey) return selectAll(event.key, pressed.table);
  return moveBy(event, row, pressed) || actOn(event, row, pressed.keys);
}

function selectAll(key: string, { users, onToggle }: KeyedTable): boolean {
  if (key !== "a") return false;
  onToggle(
    users.map(({ username }) => username),
    true,
  );
  return true;
}

function moveBy(
  { key, shiftKey }: KeyboardEvent,
  row: HTMLElement,
  { table, keys, current }: Pressed,
): boolean {
  const step = STEPS[key];
  if (step === undefined) return false;
  move(row, { current, step, table });
  if (shiftKey) keys.toggle(nameAt(table, current + step), true);
  return true;
}

function actOn(event: KeyboardEvent, row: HTMLElement, keys: RowKeys): boolean {
  const { key, shiftKey, target, repeat } = event;
  const username = row.dataset.username ?? "";
  // Buttons in the row have their own Enter and blank.
  const isOnRow = target === row;
  if (key === "x" || (key === " " && isOnRow)) {
    keys.toggle(username, shiftKey);
    return true;
  }
  const action = ACTION_KEYS[key];
  if (!action || (key === "Enter" && !isOnRow)) return false;
  if (!repeat) keys.act(action, username, row);
  return true;
}

const clamp = (index: number, length: number) => Math.min(Math.max(index, 0), length - 1);

const nameAt = ({ users }: KeyedTable, index: number): string =>
  users[clamp(index, users.length)]?.username ?? "";

function move(
  row: HTMLElement,
  { current, step, table }: { current: number; step: number; table: KeyedTable },
): void {
  const rows = row.parentElement?.querySelectorAll<HTMLElement>("tr");
  const next = rows?.[clamp(current + step, rows.length)];
  next?.focus();
  next?.scrollIntoView?.({ block: "nearest" });
  if (current + step >= table.users.length - 1) table.onEnd();
}
