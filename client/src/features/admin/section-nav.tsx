import { CircleX, TriangleAlert } from "lucide-react";
import { Link } from "react-router-dom";
import { useHealth } from "./admin-queries.ts";
import { judgeHealth } from "./judge-health.ts";
import {
  adminTexts,
  auditTexts,
  healthTexts,
  historyTexts,
  imageTexts,
  paymentTexts,
  usageTexts,
  userTexts,
} from "./texts.ts";
import { useSectionInView } from "./use-section-in-view.ts";

const sections = [
  { id: "users", label: userTexts.title },
  { id: "health", label: healthTexts.title },
  { id: "payment", label: paymentTexts.title },
  { id: "images", label: imageTexts.title },
  { id: "history", label: historyTexts.title },
  { id: "usage", label: usageTexts.title },
  { id: "audit", label: auditTexts.title },
] as const;

const sectionIds = sections.map(({ id }) => id);

/** Says beside the way there that the system needs to be looked at; its colour is not all that tells. */
function HealthMark() {
  const { data } = useHealth();
  const verdict = data ? judgeHealth(data).verdict : "ok";
  if (verdict === "ok") return null;
  const Icon = verdict === "down" ? CircleX : TriangleAlert;
  return (
    <Icon
      role="img"
      aria-label={healthTexts.verdicts[verdict]}
      className={`ml-2 inline size-4 ${verdict === "down" ? "text-danger" : "text-wait"}`}
    />
  );
}

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
              {id === "health" && <HealthMark />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
