/**
 * Agenda makes a channel of `debug` for each of its steps, and each of those asks the operating system whether a
 * terminal listens, unless this says that colours are not wanted. Comes before whatever imports Agenda.
 */
process.env.DEBUG_COLORS ??= "no";
