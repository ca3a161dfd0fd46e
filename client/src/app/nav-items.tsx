import { LogIn, LogOut } from "lucide-react";
import { Link, useNavigate } from "react-router-dom";
import { create } from "zustand";
import { useSession } from "../lib/session.ts";
import { Button, buttonClass } from "../ui/button.tsx";

/** Where the navigation leads, in the order shown. */
const navLinks = [
  { to: "/", label: "Home" },
  { to: "/bot", label: "BOT" },
  { to: "/signal-history", label: "History" },
  { to: "/dashboard", label: "Dashboard" },
  { to: "/pricing", label: "Pricing" },
  { to: "/contact", label: "Contact" },
] as const;

/** Shown to administrators only. */
export const adminLink = { to: "/admin", label: "Admin" } as const;

/** The links for whoever is signed in. */
export function useNavLinks() {
  const isAdmin = useSession((session) => session.token !== null && session.isAdmin);
  return isAdmin ? [...navLinks, adminLink] : navLinks;
}

/** Login for visitors, Logout for everybody else. */
export function SessionButton({ onUsed }: { onUsed?: () => void }) {
  const signedIn = useSession((session) => session.token !== null);
  const signOut = useSession((session) => session.signOut);
  const navigate = useNavigate();
  if (!signedIn) {
    return (
      <Link
        to="/login"
        onClick={onUsed}
        className={`${buttonClass({ variant: "secondary" })} early-member:invisible`}
      >
        <LogIn aria-hidden className="size-4" />
        Login
      </Link>
    );
  }
  const logOut = () => {
    onUsed?.();
    const { token, isAdmin } = useSession.getState();
    if (isAdmin && token) closeQueueOf(token).catch(() => null);
    signOut("logout");
    void navigate("/");
  };
  return (
    <Button variant="secondary" onClick={logOut}>
      <LogOut aria-hidden className="size-4" />
      Logout
    </Button>
  );
}

const closeQueueOf = async (token: string) =>
  (await import("../lib/api/close-queue.ts")).closeQueue(token);

/** Numbers above are not worth their width. */
const MOST = 99;

/** How much has come in for the administrator; stands on the corner of the link that leads there. */
export function NavbarAdminBadge() {
  const unseen = useAdminNews((news) => news.unseen);
  return (
    <span role="status" className="pointer-events-none absolute -top-0.5 -right-1.5">
      {unseen > 0 && (
        <span className="figures flex h-4.5 min-w-4.5 animate-enter items-center justify-center rounded-full bg-accent px-1 text-xs font-semibold text-on-accent">
          <span aria-hidden>{Math.min(unseen, MOST)}</span>
          <span className="sr-only">
            {unseen} unread admin {unseen === 1 ? "notification" : "notifications"}
          </span>
        </span>
      )}
    </span>
  );
}

/** Admin notifications since the admin page was last in view in this tab. */
export const useAdminNews = create<{ unseen: number }>()(() => ({ unseen: 0 }));
