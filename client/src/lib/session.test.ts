import { expect, test } from "vitest";
import { createStore } from "zustand";
import { memoryStorage, sessionState } from "./session.ts";

const session = { token: "t1", approved: true, role: "admin", username: "ann" } as const;

/** As a page does that opens on `storage`. */
function openStore(storage = memoryStorage()) {
  const store = createStore(sessionState(storage));
  store.getState().readAgain();
  return store;
}

const stored = (storage: ReturnType<typeof memoryStorage>) =>
  ["token", "isApproved", "isAdmin"].map((key) => storage.getItem(key));

test("signing in stores exactly the three keys and survives a new page", () => {
  const storage = memoryStorage();
  openStore(storage).getState().signIn(session);
  expect(stored(storage)).toEqual(["t1", "true", "true"]);
  expect(openStore(storage).getState()).toMatchObject({
    token: "t1",
    approved: true,
    isAdmin: true,
  });
});

test("only the role admin makes an admin", () => {
  const store = openStore();
  store.getState().signIn({ ...session, role: "user", approved: false });
  expect(store.getState()).toMatchObject({ approved: false, isAdmin: false });
});

test("signing out removes the three keys and remembers why", () => {
  const storage = memoryStorage();
  const store = openStore(storage);
  store.getState().signIn(session);
  store.getState().signOut("password-changed");
  expect(stored(storage)).toEqual([null, null, null]);
  expect(store.getState()).toMatchObject({
    token: null,
    approved: false,
    isAdmin: false,
    endedBy: "password-changed",
  });
});

test("what the server says of the account replaces what was stored", () => {
  const storage = memoryStorage();
  const store = openStore(storage);
  store.getState().signIn(session);
  store.getState().setAccess({ approved: false, role: "user" });
  expect(store.getState()).toMatchObject({ token: "t1", approved: false, isAdmin: false });
  expect(stored(storage)).toEqual(["t1", "false", "false"]);
});

test("access reported after the sign-out is not stored", () => {
  const storage = memoryStorage();
  const store = openStore(storage);
  store.getState().setAccess({ approved: true, role: "admin" });
  expect(stored(storage)).toEqual([null, null, null]);
  expect(store.getState().approved).toBe(false);
});

test("a flag without a token grants nothing", () => {
  const storage = memoryStorage();
  storage.setItem("isApproved", "true");
  storage.setItem("isAdmin", "true");
  expect(openStore(storage).getState()).toMatchObject({
    token: null,
    approved: false,
    isAdmin: false,
  });
});

test("another tab's sign-out and sign-in are taken over", () => {
  const storage = memoryStorage();
  const store = openStore(storage);
  const otherTab = openStore(storage);
  otherTab.getState().signIn(session);
  store.getState().readAgain();
  expect(store.getState()).toMatchObject({ token: "t1", approved: true });
  otherTab.getState().signOut("logged-out");
  store.getState().readAgain();
  expect(store.getState()).toMatchObject({ token: null, endedBy: "other-tab" });
});
