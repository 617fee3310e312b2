# Builds the service from a clone, for the platform of the image, whatever the platform of the host is: docs/self-hosting.md.
FROM node:22-bookworm-slim AS build
WORKDIR /src
# Packages are installed again only after these have changed. npm chooses workerd's program for the platform; no package needs a script of its own.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node wasm/prepare.ts && node scripts/build-site.ts && node scripts/image.ts

# All that the service needs beside Node.
FROM node:22-bookworm-slim
# It belongs to root, so that the service cannot change itself.
COPY --from=build /src/dist/pdf-service /app
RUN install --directory --owner=node --group=node /data
USER node
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=8787
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/v1/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Small heap spaces: this process passes bytes on, and workerd does the work.
CMD ["node", "--max-semi-space-size=1", "--expose-gc", "/app/bin/serve.js"]
