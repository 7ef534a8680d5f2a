# One image for all roles; ROLES selects those of a process. It contains Node, the server, the site, PostgreSQL, an ffmpeg
# with the formats that Kinora uses, and the Debian libraries that these need.

FROM node:24.21.0-bookworm-slim AS system
COPY scripts/image/ffmpeg.sh /build/
RUN sh /build/ffmpeg.sh /image
COPY scripts/image/system.sh /build/
RUN sh /build/system.sh /image

FROM node:24.21.0-bookworm-slim AS app
WORKDIR /app
# Packages change less often than sources, so they have a separate layer.
COPY package.json package-lock.json .npmrc ./
COPY renderer/package.json renderer/
RUN npm ci --omit=dev
COPY . .
# `--build-arg POSTGRES=none` leaves PostgreSQL out, for installations with a DATABASE_URL.
ARG POSTGRES=embedded
RUN node scripts/image/build.mjs /image/app

FROM scratch
LABEL org.opencontainers.image.title="Kinora" org.opencontainers.image.version="0.1.0" org.opencontainers.image.licenses="MIT"
ENV PATH=/usr/bin HOST=0.0.0.0 PORT=3000 DATA_DIR=/data SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt MALLOC_TRIM_THRESHOLD_=131072
COPY --from=system /image /
COPY --from=app /image /
WORKDIR /app
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD wget -q -O /dev/null http://127.0.0.1:$PORT/readyz
CMD ["node", "scripts/server/supervise.mjs", "dist/main.js"]
