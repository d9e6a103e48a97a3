{{- define "gvList" -}}
{{- range . -}}
<!-- Written by make generate from the Go types: change those. -->
# {{ index .SortedKinds 0 }}

`{{ .GroupVersionString }}`. {{ .Doc | trim }}
{{ range .SortedTypes }}{{ if .GVK }}{{ template "type" . }}{{ end }}{{ end }}
{{- range .SortedTypes }}{{ if not .GVK }}{{ template "type" . }}{{ end }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "type" -}}
{{- if markdownShouldRenderType . }}
## {{ .Name }}

{{ .Doc }}
{{ if .IsAlias }}
A {{ markdownRenderTypeLink .UnderlyingType }}.
{{ end -}}
{{- if .References }}
In {{ range $i, $user := .SortedReferences }}{{ if $i }}, {{ end }}{{ markdownRenderTypeLink $user }}{{ end }}.
{{ end -}}
{{- with .Validation }}
{{ range . }}- {{ template "rule" . }}
{{ end }}{{ end -}}
{{- if .Members }}
| field | type | what it is |
|---|---|---|
{{ range .Members }}{{ if not (has .Name (list "apiVersion" "kind")) }}{{ template "member" . }}{{ end }}{{ end -}}
{{- end -}}
{{- if .EnumValues }}
| value | what it is |
|---|---|
{{ range .EnumValues }}| `{{ .Name }}` | {{ markdownRenderFieldDoc .Doc }} |
{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "member" -}}
| `{{ .Name }}` | {{ markdownRenderType .Type }} | {{ if eq .Name "metadata" }}As of every object.{{ else }}{{ markdownRenderFieldDoc (.Doc | replace "\n" " ") }}{{ end }}
{{- with .Default }} Default: {{ markdownRenderDefault . }}.{{ end }}
{{- range .Validation }}{{ if not (has . (list "Optional: {}" "Required: {}")) }}<br>{{ template "rule" . }}{{ end }}{{ end }}
{{- if has "Required: {}" .Validation }}<br>Required.{{ end }} |
{{ end -}}

{{- define "rule" -}}
{{ markdownRenderFieldDoc . }}
{{- end -}}
