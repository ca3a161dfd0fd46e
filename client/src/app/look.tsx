import { useQuery } from "@tanstack/react-query";
import { type LucideIcon, Monitor, Moon, Sun } from "lucide-react";
import { useEffect, useId } from "react";
import { BRANDING_KEY, brandingFacts, useBrand } from "../lib/brand.ts";
import { apiOrigin } from "../lib/env.ts";
import { browserStorage } from "../lib/session.ts";
import { chooseTheme, THEME_CHOICES, type ThemeChoice, useThemeChoice } from "../lib/theme.ts";

const labels: Record<ThemeChoice, string> = {
  light: "Light theme",
  dark: "Dark theme",
  system: "System theme",
};

const icons: Record<ThemeChoice, LucideIcon> = { light: Sun, dark: Moon, system: Monitor };

export function ThemeSwitch() {
  const chosen = useThemeChoice();
  const name = useId();
  return (
    <fieldset className="flex h-9 w-26 rounded-full border border-line bg-surface p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEME_CHOICES.map((choice) => {
        const Icon = icons[choice];
        return (
          <label
            key={choice}
            title={labels[choice]}
            className="relative flex flex-1 items-center justify-center rounded-full text-ink-faint transition-colors hover:text-ink has-checked:bg-raised has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={choice}
              checked={choice === chosen}
              onChange={() => chooseTheme(choice)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            <Icon aria-hidden className="size-4" />
            <span className="sr-only">{labels[choice]}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

async function readFacts({ signal }: { signal: AbortSignal }) {
  const response = await fetch(`${apiOrigin}/branding`, { signal });
  return brandingFacts(await response.json());
}

/** Shows the product as its operator presents it: name, notice, and the style sheet of logo and accent. Visitors have no socket. */
export function Branding() {
  const { data: facts } = useQuery({
    queryKey: BRANDING_KEY,
    queryFn: readFacts,
    refetchInterval: 60_000,
  });
  useEffect(() => {
    const name = facts?.get("product_name");
    // An error has none.
    if (!facts || !name) return;
    useBrand.setState({ name, facts });
    showStyle(facts.get("style") ?? "");
  }, [facts]);
  const notice = facts?.get("demo_notice");
  return notice ? <p className="brand-notice">{notice}</p> : null;
}

/** `public/theme-init.js` has made the element, and finds its text here before the next first paint. */
function showStyle(text: string): void {
  const element = document.getElementById("brand");
  if (element) element.textContent = text;
  browserStorage().setItem("brand", text);
}
