import { useAdminNews } from "./admin-news.ts";
import { adminNewsTexts as texts } from "./texts.ts";

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
          <span className="sr-only">{texts.unseen(unseen)}</span>
        </span>
      )}
    </span>
  );
}
