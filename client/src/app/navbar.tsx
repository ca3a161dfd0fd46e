import { Menu } from "lucide-react";
import { useState } from "react";
import { Link, NavLink } from "react-router-dom";
import { useBrand } from "../lib/brand.ts";
import { useHydrated } from "../lib/hydration.ts";
import { useSession } from "../lib/session.ts";
import { buttonClass } from "../ui/button.tsx";
import { lazyComponent, usePreload } from "../ui/lazy-component.tsx";
import {
  adminLink,
  NavbarAdminBadge,
  SessionButton,
  useNavLinks,
  watchlistLink,
} from "./nav-items.tsx";

const MobileMenu = lazyComponent(() => import("./mobile-menu.tsx"), "MobileMenu");

const themePlaceholder = <div className="h-9 w-26" />;
const ThemeSwitch = lazyComponent(() => import("./look.tsx"), "ThemeSwitch", {
  fallback: themePlaceholder,
  isSilent: true,
});

const NavbarWaitingCount = lazyComponent(
  () => import("./navbar-waiting-count.tsx"),
  "NavbarWaitingCount",
  { isSilent: true },
);

const NotificationBell = lazyComponent(
  () => import("./notification-bell.tsx"),
  "NotificationBell",
  { fallback: <div className="size-10" />, isSilent: true },
);

const linkClass =
  "rounded-lg px-2 py-2 text-sm font-medium text-ink-muted transition-colors hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:text-ink xl:px-3";

export function Navbar() {
  const links = useNavLinks();
  const { name } = useBrand();
  const signedIn = useSession((session) => session.token !== null);
  const isAdmin = useSession((session) => session.token !== null && session.isAdmin);
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-canvas/85 backdrop-blur-md">
      <div className="page flex h-16 items-center gap-4 xl:gap-6">
        <Link
          to="/"
          className="flex items-center gap-2.5 rounded-lg font-semibold tracking-tight whitespace-nowrap"
        >
          <span className="brand-mark size-7" />
          {/* The links of administrators leave no place for it. */}
          <span className={isAdmin ? "lg:max-xl:sr-only" : "max-w-40 truncate"}>{name}</span>
        </Link>
        <nav aria-label="Main" className="hidden flex-1 gap-1 lg:flex">
          {links.map(({ to, label }) => (
            <span
              key={to}
              className={`relative flex ${to === watchlistLink.to ? "early-unapproved:hidden" : ""}`}
            >
              <NavLink to={to} end={to === "/"} className={linkClass}>
                {label}
              </NavLink>
              {to === adminLink.to && <NavbarAdminBadge />}
            </span>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-1 lg:gap-3">
          {signedIn && <NotificationBell />}
          <div className="hidden items-center gap-3 lg:flex">
            <ThemeSwitchSlot />
            <SessionButton />
          </div>
          <MenuButton />
        </div>
        {isAdmin && <NavbarWaitingCount />}
      </div>
    </header>
  );
}

/** A pre-rendered page does not know the chosen theme. */
const ThemeSwitchSlot = () => (useHydrated() ? <ThemeSwitch /> : themePlaceholder);

/** From here on, the links of the menu are in the navigation. */
const WIDE_PX = 1_024;

function MenuButton() {
  /** Undefined until the menu is first opened, which loads it. */
  const [open, setOpen] = useState<boolean>();
  usePreload(MobileMenu, useHydrated() && window.innerWidth < WIDE_PX);
  return (
    <div className="lg:hidden">
      <button
        type="button"
        aria-label="Open menu"
        aria-haspopup="dialog"
        aria-expanded={open ?? false}
        onClick={() => setOpen(true)}
        className={`${buttonClass({ variant: "ghost" })} -mr-2 px-2`}
      >
        <Menu aria-hidden className="size-6" />
      </button>
      {open !== undefined && <MobileMenu open={open} onOpenChange={setOpen} />}
    </div>
  );
}
