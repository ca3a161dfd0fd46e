/**
 * The time `months` calendar months after `anchor`, in UTC. A month that is too short has it on its last day: 31 January,
 * 28 February, 31 March.
 */
export function addMonthsUtc(anchor: Date, months: number): Date {
  const shifted = new Date(anchor);
  shifted.setUTCMonth(anchor.getUTCMonth() + months);
  // The day did not exist, so that it became one of the next month.
  if (shifted.getUTCDate() !== anchor.getUTCDate()) shifted.setUTCDate(0);
  return shifted;
}
