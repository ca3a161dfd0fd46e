import { LogIn, LogOut } from "lucide-react";
import { Link, useLocation, useNavigate } from "react-router-dom";
import { useHydrated } from "../lib/hydration.ts";
import { useSession } from "../lib/session.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { lazyComponent } from "../ui/lazy-component.tsx";

/** For approved users. */
export const watchlistLink = { to: "/watchlist", label: "Watchlist" } as const;

const navLinks = [
  { to: "/", label: "Home" },
  { to: "/bot", label: "BOT" },
  watchlistLink,
  { to: "/signal-history", label: "History" },
  { to: "/dashboard", label: "Dashboard" },
  { to: "/pricing", label: "Pricing" },
  { to: "/contact", label: "Contact" },
] as const;

export const adminLink = { to: "/admin", label: "Admin" } as const;

export function useNavLinks() {
  const isAdmin = useSession((session) => session.token !== null && session.isAdmin);
  const isApproved = useSession((session) => session.approved);
  // Pre-rendered pages have it for all, and styles hide it.
  const hasWatchlist = !useHydrated() || isApproved;
  const links = navLinks.filter((link) => link !== watchlistLink || hasWatchlist);
  return isAdmin ? [...links, adminLink] : links;
}

export function SessionButton({ onUsed }: { onUsed?: () => void }) {
  const signedIn = useSession((session) => session.token !== null);
  const signOut = useSession((session) => session.signOut);
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (!signedIn) {
    return (
      <>
        <Link
          to="/login"
          onClick={onUsed}
          className={`${buttonClass({ variant: "secondary" })} early-member:invisible`}
        >
          <LogIn aria-hidden className="size-4" />
          Login
        </Link>
        {/* The forms lead to each other. */}
        {pathname !== "/login" && pathname !== "/register" && (
          <Link
            to="/register"
            onClick={onUsed}
            className={`${buttonClass()} early-member:invisible`}
          >
            Register
          </Link>
        )}
      </>
    );
  }
  const logOut = () => {
    onUsed?.();
    const { token } = useSession.getState();
    // Without a connection, the session ends on the server by itself a day later.
    if (token) endSessionOf(token).catch(() => null);
    signOut("logged-out");
    void navigate("/");
  };
  return (
    <Button Icon={LogOut} variant="secondary" onClick={logOut}>
      Logout
    </Button>
  );
}

const endSessionOf = async (token: string) =>
  (await import("../lib/api/end-session.ts")).endSession(token);

/** How much waits for an administrator, beside the link to administration. */
export const NavbarAdminBadge = lazyComponent(
  () => import("./navbar-waiting-count.tsx"),
  "NavbarAdminBadge",
  { isSilent: true },
);
