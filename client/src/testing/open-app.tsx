import type { Me } from "@shared/contract/account.ts";
import { act, render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { createMemoryRouter, Outlet, type RouteObject } from "react-router-dom";
import { App, followSession } from "../app/app.tsx";
import { SignedIn } from "../app/layout.tsx";
import { routes } from "../app/routes.tsx";
import { useBrand } from "../lib/brand.ts";
import { queryClient } from "../lib/query-client.ts";
import { initialLiveState, useRealtime } from "../lib/realtime/store.ts";
import { useSession } from "../lib/session.ts";
import { useToasts } from "../ui/show-toast.ts";
import { makeMe } from "./factories.ts";
import { api } from "./fake-api.ts";

followSession();

interface OpenApp {
  user: UserEvent;
  /** Shows another screen, or the one that a guard redirects to. */
  goTo(path: string): Promise<void>;
  address(): string;
}

/** Opens the application at `path`: for a visitor, or signed in with this account. */
export const openApp = (path: string, account?: Partial<Me>): OpenApp =>
  open(routes, path, account);

/**
 * Shows one part of a screen, with the connection and the messages of the application around it: the guards, the
 * navigation and the other parts would take most of the time of a test.
 */
export const openPart = (part: ReactNode, account?: Partial<Me>, path = "/"): OpenApp =>
  open([{ element: <Around />, children: [{ path: "*", element: part }] }], path, account);

function Around() {
  const token = useSession((session) => session.token);
  return (
    <>
      {token !== null && <SignedIn key={token} token={token} />}
      <Outlet />
    </>
  );
}

function open(screens: RouteObject[], path: string, account?: Partial<Me>): OpenApp {
  api.reply("GET /status", { market_data: "replay", analyst: "rules", version: "1.0.0" });
  if (account) signIn(makeMe(account));
  const router = createMemoryRouter(screens, { initialEntries: [path] });
  render(<App router={router} />);
  return {
    user: userEvent.setup({ delay: null, applyAccept: false }),
    goTo: (to) => act(() => router.navigate(to)),
    address: () => `${router.state.location.pathname}${router.state.location.search}`,
  };
}

function signIn(me: Me): void {
  api.reply("GET /me", me);
  const { approved, role, username } = me;
  useSession.getState().signIn({ token: "token-1", approved, role, username });
}

export function resetApp(): void {
  useSession.setState(useSession.getInitialState());
  useRealtime.setState(initialLiveState);
  useToasts.setState(useToasts.getInitialState());
  useBrand.setState(useBrand.getInitialState(), true);
  queryClient.clear();
  localStorage.clear();
  sessionStorage.clear();
  // As after clearing them in another tab.
  window.dispatchEvent(new StorageEvent("storage"));
}
