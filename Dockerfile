# The builder runs on this machine's own platform and cross-compiles, so no other one is emulated.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
# Modules change less often than the code: a layer of their own.
COPY go.mod go.sum ./
RUN go mod download
COPY main.go ./
COPY crds crds
COPY webhook webhook
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=devel
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /memcached-operator .

# The program alone: it calls nobody, so it needs no certificates of authorities, and it knows no time zone but UTC.
FROM scratch
ARG VERSION=devel
LABEL org.opencontainers.image.title="memcached-operator" \
      org.opencontainers.image.description="Runs Memcached on Kubernetes: hooks for Metacontroller" \
      org.opencontainers.image.source="https://github.com/example/memcached-operator" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION"
COPY --from=build /memcached-operator /memcached-operator
# By number, for runAsNonRoot cannot judge a name.
USER 65532:65532
EXPOSE 8080 8081
ENTRYPOINT ["/memcached-operator"]
