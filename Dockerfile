# indus in a container. Build the packages first (npm run pack), then: docker build -t indus .
# Run it as nobody in particular, on a root file system that nobody writes:
#   docker run --rm --read-only --tmpfs /tmp --tmpfs /home/node -e ANTHROPIC_API_KEY -v "$PWD:/work" indus -p "why does this fail?"
FROM node:24-bookworm-slim

RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git \
  && rm -rf /var/lib/apt/lists/*

COPY pack/*.tgz /packages/
RUN npm install --global --no-audit --no-fund /packages/*.tgz && rm -rf /packages /root/.npm

USER node
ENV INDUS_HOME=/home/node/.indus
WORKDIR /work
ENTRYPOINT ["indus"]
