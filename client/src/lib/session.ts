import type { Role, Session } from "@shared/contract/account.ts";
import type { SessionEndReason } from "@shared/contract/events.ts";
import { create, type StateCreator } from "zustand";

/** Why a session ended. Decides the message and the redirect. */
export type SessionEnd = SessionEndReason | "other-tab";

interface StoredSession {
  token: string | null;
  approved: boolean;
  isAdmin: boolean;
}

interface SessionState extends StoredSession {
  /** Set from the end of a session until the next sign-in. */
  endedBy: SessionEnd | null;
  /** The administrator must turn on the second factor first. */
  mustEnrol: boolean;
  signIn(session: Session): void;
  signOut(endedBy: SessionEnd): void;
  /** Applies the access that the server reports. */
  setAccess(access: { approved: boolean; role: Role }): void;
  /** Reads the storage again, for example after a change in another tab. */
  readAgain(): void;
}

type SessionStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

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

/** Starts signed out, even if `storage` has a session: call `readAgain` to load it. */
export function sessionState(storage: SessionStorage): StateCreator<SessionState> {
  return (set, get) => ({
    token: null,
    approved: false,
    isAdmin: false,
    endedBy: null,
    mustEnrol: false,
    signIn({ token, approved, role }) {
      const flags = { approved, isAdmin: role === "admin" };
      writeFlags(storage, flags);
      storage.setItem(KEYS.token, token);
      set({ token, ...flags, endedBy: null, mustEnrol: false });
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

/** Replaces local storage where the browser refuses it. The session lasts as long as the page. */
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

/** Starts signed out like the pre-rendered pages, because hydration compares with them. */
export const useSession = create<SessionState>()(sessionState(browserStorage()));
useSession.getState().readAgain();

/** Follows sign-in and sign-out in other tabs. Returns a function that stops it. */
export function followOtherTabs(): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    const ours = key === null || Object.values<string>(KEYS).includes(key);
    if (ours) useSession.getState().readAgain();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}
