import type { Role, Session } from "@shared/contract/account.ts";
import { create, type StateCreator } from "zustand";

/** Why a session ended; decides what the visitor is told and where he is sent. */
export type SessionEnd = "logout" | "expired" | "deleted" | "password-changed" | "other-tab";

interface StoredSession {
  token: string | null;
  approved: boolean;
  isAdmin: boolean;
}

export interface SessionState extends StoredSession {
  /** Set from the end of a session until the next one begins. */
  endedBy: SessionEnd | null;
  signIn(session: Session): void;
  signOut(endedBy: SessionEnd): void;
  /** Takes over what the server says of the account. */
  setAccess(access: { approved: boolean; role: Role }): void;
  /** Takes over what is stored, by another tab for one. */
  readAgain(): void;
}

type SessionStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The only keys of local storage that a session uses; no other holds the token. */
const KEYS = { token: "token", approved: "isApproved", isAdmin: "isAdmin" } as const;

function readStored(storage: SessionStorage): StoredSession {
  const token = storage.getItem(KEYS.token) || null;
  return {
    token,
    approved: token !== null && storage.getItem(KEYS.approved) === "true",
    isAdmin: token !== null && storage.getItem(KEYS.isAdmin) === "true",
  };
}

function writeFlags(storage: SessionStorage, flags: { approved: boolean; isAdmin: boolean }): void {
  storage.setItem(KEYS.approved, String(flags.approved));
  storage.setItem(KEYS.isAdmin, String(flags.isAdmin));
}

/** State of the signed-in user, kept in `storage`, from where it has to be read first: it begins as a visitor's. */
export function sessionState(storage: SessionStorage): StateCreator<SessionState> {
  return (set, get) => ({
    token: null,
    approved: false,
    isAdmin: false,
    endedBy: null,
    signIn({ token, approved, role }) {
      const flags = { approved, isAdmin: role === "admin" };
      writeFlags(storage, flags);
      storage.setItem(KEYS.token, token);
      set({ token, ...flags, endedBy: null });
    },
    signOut(endedBy) {
      for (const key of Object.values(KEYS)) storage.removeItem(key);
      set({ token: null, approved: false, isAdmin: false, endedBy });
    },
    setAccess({ approved, role }) {
      if (get().token === null) return;
      const flags = { approved, isAdmin: role === "admin" };
      writeFlags(storage, flags);
      set(flags);
    },
    readAgain() {
      const stored = readStored(storage);
      const ended = stored.token === null && get().token !== null;
      set({ ...stored, endedBy: ended ? "other-tab" : get().endedBy });
    },
  });
}

/** A storage for browsers that refuse local storage: the session lasts as long as the page. */
export function memoryStorage(): SessionStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

export function browserStorage(): SessionStorage {
  try {
    return window.localStorage;
  } catch {
    return memoryStorage();
  }
}

/** Begins as a visitor's, as the pre-rendered pages do: React compares the two, and then goes on with what is stored. */
export const useSession = create<SessionState>()(sessionState(browserStorage()));
useSession.getState().readAgain();

/** Follows sign-in and sign-out in other tabs; returns the function that stops it. */
export function followOtherTabs(): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    const ours = key === null || Object.values<string>(KEYS).includes(key);
    if (ours) useSession.getState().readAgain();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}
