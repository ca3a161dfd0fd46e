import { ArrowRight, type LucideIcon } from "lucide-react";
import { Link } from "react-router-dom";
import { Card } from "../../ui/card.tsx";

interface LinkCardProps {
  Icon: LucideIcon;
  title: string;
  text: string;
  to: string;
  link: string;
}

/** A card that leads to another screen. */
export function LinkCard({ Icon, title, text, to, link }: LinkCardProps) {
  return (
    <Card className="flex gap-4 p-6">
      <Icon aria-hidden className="size-6 shrink-0 text-accent" strokeWidth={1.75} />
      <div className="flex min-w-0 flex-col items-start gap-1">
        <h2 className="font-semibold tracking-tight">{title}</h2>
        <p className="text-sm leading-relaxed text-ink-muted text-pretty">{text}</p>
        <Link
          to={to}
          className="mt-2 inline-flex items-center gap-1.5 rounded text-sm font-medium text-accent hover:text-accent-strong"
        >
          {link}
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      </div>
    </Card>
  );
}
