# One image for server and worker (target `app`), one for the web pages and the way to the API (target `web`).
# Base images are pinned by digest, and updated by Dependabot.

FROM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS base

FROM base AS packages
WORKDIR /app
ENV MONGOMS_DISABLE_POSTINSTALL=1
COPY package.json package-lock.json .npmrc ./

FROM packages AS production-packages
RUN npm ci --omit=dev && npm cache clean --force

FROM packages AS pages
RUN npm ci --include=dev
COPY . .
# Fixed at build time: where browsers reach the API, and what the contact page shows.
ARG VITE_API_URL=http://localhost:8000
ARG CLIENT_ORIGIN=
ARG VITE_CONTACT_EMAIL=
ARG VITE_CONTACT_WHATSAPP=
ARG VITE_CONTACT_TELEGRAM=
ENV DATA_DIR=/build
RUN node scripts/run.mjs build

FROM caddy:2-alpine@sha256:ad27e531c8b286ff153c0e6e16587a1583e4111bb58c4d83bd73d6d3ef0a0ce1 AS web
COPY deploy/Caddyfile /etc/caddy/Caddyfile
COPY --from=pages /build/headers.caddy /etc/caddy/headers.caddy
COPY --from=pages /build/client /srv
RUN adduser -D -H -u 1000 web && setcap -r /usr/bin/caddy && chown -R web /data /config
USER 1000:1000
EXPOSE 80 443 5173 8000

FROM base AS app
WORKDIR /app
ENV NODE_ENV=production DATA_DIR=/data
# For LEDGER_GIT_REPOSITORY.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/*
COPY --from=production-packages /app/node_modules node_modules
COPY package.json tsconfig.json ./
COPY shared shared
COPY server server
COPY worker worker
COPY scripts scripts
RUN mkdir /data && chown node:node /data
USER 1000:1000
VOLUME /data
CMD ["node", "--max-semi-space-size=64", "--import", "tsx", "server/src/main.ts"]
