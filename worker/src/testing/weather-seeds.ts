/** Of each cause of a wrong outcome, one or two scenarios that show it: without the correction, their outcomes are wrong again. */
export const ONE_OF_EACH_CAUSE = [
  // A trade that was made in a gap, at the start of what was read.
  597_222_939, 597_223_446,
  // Its provider went in the middle of a candle.
  597_222_647, 597_222_759,
  // Its provider went, and the other one failed just then, or was asked for minutes of an earlier time.
  1_023_072_027,
  1_023_072_520, 1_023_072_104,
  // A candle was absent from one answer, or from two that were not the same.
  597_223_455, 334_127_046, 334_127_063, 785_939_696, 1_030_080_382,
  // Another worker knew less.
  276_938_542,
  // A limit order at the price of an open.
  1_030_078_799,
  // Others.
  597_222_972, 597_223_260, 597_223_283, 597_223_379, 597_223_545, 1_023_071_728,
];

/** Further ones whose outcomes were wrong once, by the same causes. */
const SAME_CAUSES = [
  597_222_679, 597_222_741, 597_222_749, 597_222_943, 597_223_058, 597_223_066, 597_223_088,
  597_223_114, 597_223_225, 597_223_321, 597_223_408, 597_223_412, 597_223_445, 597_223_529,
  597_223_539, 1_023_072_281,
];

/** The same in each run of the suite, before its random ones. */
export const FIXED_SEEDS = [
  ...ONE_OF_EACH_CAUSE,
  ...SAME_CAUSES,
  ...Array.from({ length: 20 }, (_, index) => index + 1),
];
