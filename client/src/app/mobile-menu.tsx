import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { NavLink } from "react-router-dom";
import { buttonClass } from "../ui/button.tsx";
import { ThemeSwitch } from "./look.tsx";
import { adminLink, NavbarAdminBadge, SessionButton, useNavLinks } from "./nav-items.tsx";

const linkClass =
  "rounded-control px-4 py-3.5 text-lg font-medium text-ink-muted aria-[current=page]:bg-raised aria-[current=page]:text-ink";

interface MobileMenuProps {
  open: boolean;
  onOpenChange(open: boolean): void;
}

export function MobileMenu({ open, onOpenChange }: MobileMenuProps) {
  const links = useNavLinks();
  const close = () => onOpenChange(false);
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-canvas/70 backdrop-blur-sm transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-[min(20rem,85vw)] flex-col gap-6 border-l border-line bg-surface p-4 shadow-float transition-transform duration-200 data-ending-style:translate-x-full data-starting-style:translate-x-full">
          <div className="flex h-8 items-center justify-between">
            <Dialog.Title className="pl-4 text-sm font-medium text-ink-muted">Menu</Dialog.Title>
            <Dialog.Close
              aria-label="Close menu"
              className={`${buttonClass({ variant: "ghost" })} px-2`}
            >
              <X aria-hidden className="size-6" />
            </Dialog.Close>
          </div>
          <nav aria-label="Main" className="flex flex-col gap-1">
            {links.map(({ to, label }) => (
              <span key={to} className="relative flex flex-col">
                <NavLink to={to} end={to === "/"} onClick={close} className={linkClass}>
                  {label}
                </NavLink>
                {to === adminLink.to && <NavbarAdminBadge />}
              </span>
            ))}
          </nav>
          <div className="mt-auto flex flex-col gap-4">
            <div className="flex items-center justify-between pl-4">
              <span aria-hidden className="text-sm text-ink-muted">
                Theme
              </span>
              <ThemeSwitch />
            </div>
            <SessionButton onUsed={close} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
