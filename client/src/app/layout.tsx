import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { type Location, Outlet, ScrollRestoration, useLocation } from "react-router-dom";
import { useSession } from "../lib/session.ts";
import { Footer } from "./footer.tsx";
import { Navbar } from "./navbar.tsx";
import { appTexts } from "./texts.ts";

/** Everything that only signed-in users need: live connection, toasts. Kept out of a visitor's first load. */
const SignedIn = lazy(async () => ({ default: (await import("./signed-in.tsx")).SignedIn }));

/** The frame around every screen. */
export function LayoutFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <a
        href="#main"
        className="sr-only rounded-control bg-accent px-4 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50"
      >
        {appTexts.skipLink}
      </a>
      <Navbar />
      {children}
    </>
  );
}

export function Layout() {
  const token = useSession((session) => session.token);
  useEffect(takeOver, []);
  return (
    <LayoutFrame>
      {token !== null && (
        <Suspense fallback={null}>
          <SignedIn key={token} token={token} />
        </Suspense>
      )}
      <Main />
      <Footer />
      <ScrollRestoration getKey={scrollKey} />
    </LayoutFrame>
  );
}

/** From here on the session decides what is shown; until then `public/before-paint.js` has. */
function takeOver(): void {
  delete document.documentElement.dataset.early;
}

/** The first entry of every visit has the same key; without the path, one page would open where another was left. */
const scrollKey = ({ key, pathname }: Location) => (key === "default" ? pathname : key);

/** The screen itself; it takes the focus when the route changes, so that a keyboard or screen reader starts there. */
function Main() {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <main ref={main} id="main" tabIndex={-1} className="min-h-[calc(100dvh-4rem)]">
      <Outlet />
    </main>
  );
}
