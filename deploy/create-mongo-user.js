// Runs in mongosh when the database is created. The application may use its own collections and nothing else.
db.getSiblingDB("signals").createUser({
  user: "signals",
  pwd: process.env.MONGO_PASSWORD,
  roles: [{ role: "readWrite", db: "signals" }],
});
