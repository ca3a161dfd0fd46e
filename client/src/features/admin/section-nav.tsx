import { Link } from "react-router-dom";
import {
  adminTexts,
  auditTexts,
  historyTexts,
  imageTexts,
  paymentTexts,
  userTexts,
} from "./texts.ts";
import { useSectionInView } from "./use-section-in-view.ts";

const sections = [
  { id: "users", label: userTexts.title },
  { id: "payment", label: paymentTexts.title },
  { id: "images", label: imageTexts.title },
  { id: "history", label: historyTexts.title },
  { id: "audit", label: auditTexts.title },
] as const;

const sectionIds = sections.map(({ id }) => id);

/** Leads to the parts of the page: a column beside them, or a bar above them on small screens. */
export function SectionNav() {
  const current = useSectionInView(sectionIds);
  return (
    <nav
      aria-label={adminTexts.sections}
      className="sticky top-16 z-20 -mx-4 overflow-x-auto border-b border-line bg-canvas/90 px-4 backdrop-blur-md sm:-mx-6 sm:px-6 lg:top-24 lg:mx-0 lg:border-0 lg:bg-transparent lg:p-0 lg:backdrop-blur-none"
    >
      <ul className="flex gap-1 py-2 lg:flex-col lg:py-0">
        {sections.map(({ id, label }) => (
          <li key={id}>
            <Link
              to={`#${id}`}
              aria-current={id === current ? "location" : undefined}
              className="block rounded-lg px-3 py-2 text-sm font-medium whitespace-nowrap text-ink-muted transition-colors hover:text-ink aria-[current=location]:bg-raised aria-[current=location]:text-ink"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
