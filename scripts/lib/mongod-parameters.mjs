/**
 * How every mongod of the project runs: docker-compose.yml says the same, and README asks for it where a database is
 * given.
 *
 * - What a killed process had locked is free again after 10 s; MongoDB's own default is 60.
 * - What was changed is kept for 10 s beside what it has become, and not for five minutes: a queue's index would hold
 *   all jobs of that time, and every claim pass by them. Nothing here reads the past.
 */
export const MONGOD_PARAMETERS = Object.freeze([
  ...["--setParameter", "transactionLifetimeLimitSeconds=10"],
  ...["--setParameter", "minSnapshotHistoryWindowInSeconds=10"],
]);
