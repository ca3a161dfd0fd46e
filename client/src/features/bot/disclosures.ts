import { FIXED_RULES, RECORDED_CANDLES } from "@shared/contract/disclosures.ts";
import { useDemoStatus } from "../signals/api.ts";

/** What the banner of the bot page says of the next signals, in the words of their warnings. */
export function useDisclosures(): string[] {
  const { isReplay, isRules } = useDemoStatus();
  return [...(isReplay ? [RECORDED_CANDLES] : []), ...(isRules ? [FIXED_RULES] : [])];
}
