#!/bin/sh
# Starts MongoDB with authentication and TLS. Arguments are passed on to mongod.
set -eu
umask 077
WORK=${TMPDIR:-/tmp}

# Members of a replica set recognize each other by this key. There is one member, so the key is new each time.
head -c 756 /dev/urandom | base64 -w 0 >"$WORK/key"

# Clients check this certificate. It is the only file here that they can read.
if [ ! -f "$TLS_FOLDER/mongo.pem" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=mongo \
    -addext subjectAltName=DNS:mongo,DNS:localhost -keyout "$WORK/key.pem" -out "$WORK/ca.pem"
  cp "$WORK/ca.pem" "$TLS_FOLDER/ca.pem"
  chmod 644 "$TLS_FOLDER/ca.pem"
  cat "$WORK/key.pem" "$WORK/ca.pem" >"$TLS_FOLDER/mongo.pem"
  rm "$WORK/key.pem"
fi

exec docker-entrypoint.sh mongod "$@" --keyFile "$WORK/key" --tlsMode requireTLS \
  --tlsCertificateKeyFile "$TLS_FOLDER/mongo.pem" --tlsCAFile "$TLS_FOLDER/ca.pem" \
  --tlsAllowConnectionsWithoutCertificates
