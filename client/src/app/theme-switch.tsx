import { type LucideIcon, Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
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
