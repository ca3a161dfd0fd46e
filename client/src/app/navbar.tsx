import { Menu } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Link, NavLink } from "react-router-dom";
import { BrandMark } from "../ui/brand-mark.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { navLinks } from "./nav-links.ts";
import { SessionButton } from "./session-button.tsx";
import { appTexts } from "./texts.ts";

const MobileMenu = lazy(async () => ({
  default: (await import("./mobile-menu.tsx")).MobileMenu,
}));

const linkClass =
  "rounded-lg px-3 py-2 text-sm font-medium text-ink-muted transition-colors hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:text-ink";

export function Navbar() {
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-canvas/85 backdrop-blur-md">
      <div className="page flex h-16 items-center gap-6">
        <Link to="/" className="flex items-center gap-2.5 rounded-lg font-semibold tracking-tight">
          <BrandMark />
          {appTexts.product}
        </Link>
        <nav aria-label={appTexts.mainNavigation} className="hidden flex-1 gap-1 md:flex">
          {navLinks.map(({ to, label }) => (
            <NavLink key={to} to={to} end className={linkClass}>
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="hidden md:block">
          <SessionButton />
        </div>
        <MenuButton />
      </div>
    </header>
  );
}

/** The small screens' way to the navigation; the menu itself is loaded when it is first opened. */
function MenuButton() {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  const show = () => {
    setWanted(true);
    setOpen(true);
  };
  return (
    <div className="ml-auto md:hidden">
      <button
        type="button"
        aria-label={appTexts.openMenu}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={show}
        className={`${buttonClass({ variant: "ghost" })} -mr-2 px-2`}
      >
        <Menu aria-hidden className="size-6" />
      </button>
      {wanted && (
        <Suspense fallback={null}>
          <MobileMenu open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
    </div>
  );
}
