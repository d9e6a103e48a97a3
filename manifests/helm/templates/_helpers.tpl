{{/* Labels that every object of the chart has in addition to those of manifests/. */}}
{{- define "memcached-operator.helmLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* The labels of an object that belongs to a component. Takes root and component. */}}
{{- define "memcached-operator.labels" -}}
app.kubernetes.io/name: memcached-operator
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/part-of: memcached-operator
{{ include "memcached-operator.helmLabels" .root }}
{{- end }}

{{- define "memcached-operator.selector" -}}
app.kubernetes.io/name: memcached-operator
app.kubernetes.io/component: hook
{{- end }}

{{- define "memcached-operator.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* A file of manifests/ with the namespaces of this release, which can begin with the names that they replace. Takes root and file. */}}
{{- define "memcached-operator.file" -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $metacontroller := .root.Values.metacontroller.namespace -}}
{{- required (printf "The chart has no %s." .file) (.root.Files.Get (printf "files/%s" .file))
  | replace "'metacontroller', 'memcached-operator']" (printf "'%s', '%s']" $metacontroller $namespace)
  | replace "serviceaccount:metacontroller:metacontroller" (printf "serviceaccount:%s:%s" $metacontroller .root.Values.metacontroller.serviceAccount)
  | replace "namespace: metacontroller" "namespace: {metacontroller}"
  | replace "namespace: memcached-operator" (printf "namespace: %s" $namespace)
  | replace "namespace=\"memcached-operator\"" (printf "namespace=%q" $namespace)
  | replace "memcached-operator.memcached-operator" (printf "memcached-operator.%s" $namespace)
  | replace "namespace: {metacontroller}" (printf "namespace: %s" $metacontroller)
  | replace "matchNames: [metacontroller]" (printf "matchNames: [%s]" $metacontroller) }}
{{- end }}

{{/* The objects of a file of manifests/ with the labels of the chart. Takes root, file and labels, which may be empty. */}}
{{- define "memcached-operator.objects" -}}
{{- range splitList "\n---\n" (include "memcached-operator.file" .) }}
{{- $object := fromYaml . }}
{{- $helmLabels := include "memcached-operator.helmLabels" $.root | fromYaml }}
{{- $_ := set $object.metadata "labels" (merge (dict) $helmLabels ($.labels | default dict) ($object.metadata.labels | default dict)) }}
{{- range $object.subjects }}
{{- $_ := set . "name" $.root.Values.metacontroller.serviceAccount }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
