# The build stage runs on the platform of the build machine and cross-compiles, so it needs no emulation.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
# A separate layer, because modules change less often than the code.
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

# Only the program. It opens no connections and uses only UTC, so it needs no CA certificates and no time zones.
FROM scratch
ARG VERSION=devel
LABEL org.opencontainers.image.title="memcached-operator" \
      org.opencontainers.image.description="Runs Memcached on Kubernetes: hooks for Metacontroller" \
      org.opencontainers.image.source="https://github.com/example/memcached-operator" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION"
COPY --from=build /memcached-operator /memcached-operator
# A number, because runAsNonRoot does not accept a name.
USER 65532:65532
EXPOSE 8080 8081
ENTRYPOINT ["/memcached-operator"]
