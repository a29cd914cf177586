{{- define "footnote.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "footnote.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "footnote.labels" -}}
{{ include "footnote.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "footnote.serviceAccount" -}}
{{- default (ternary (include "footnote.name" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "footnote.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{/* What every container of ours is given: `ctx` is the chart, the rest is said where it is used. */}}
{{- define "footnote.container" -}}
image: {{ include "footnote.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
envFrom:
  - secretRef:
      name: {{ required "existingSecret names the secret with FOOTNOTE_DATABASE_URL, FOOTNOTE_OWNER_DATABASE_URL, FOOTNOTE_MASTER_KEY and FOOTNOTE_IDENTITY_SECRET" .Values.existingSecret | quote }}
{{- if not (or .Values.settings.FOOTNOTE_BLOB_URL .Values.persistence.enabled) }}
{{- fail "files would be lost with their pod: set settings.FOOTNOTE_BLOB_URL to an object store, or persistence.enabled" }}
{{- end }}
env:
  # Named one by one, so that no pod starts without them: it would make keys of its own, which go with it.
  {{- range $name := list "FOOTNOTE_MASTER_KEY" "FOOTNOTE_IDENTITY_SECRET" }}
  - name: {{ $name }}
    valueFrom:
      secretKeyRef:
        name: {{ $.Values.existingSecret | quote }}
        key: {{ $name }}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | toString | quote }}
  {{- end }}
  {{- if .Values.cloudnativepg.enabled }}
  - name: FOOTNOTE_OWNER_DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ include "footnote.name" . }}-database-app
        key: uri
  {{- end }}
  - name: FOOTNOTE_METRICS_ADDRESS
    value: "0.0.0.0:{{ .Values.metrics.port }}"
volumeMounts:
  - name: home
    mountPath: /var/lib/footnote
  - name: temporary
    mountPath: /tmp
  {{- if .Values.persistence.enabled }}
  - name: blobs
    mountPath: /var/lib/footnote/blobs
  {{- end }}
{{- end -}}

{{- define "footnote.pod" -}}
serviceAccountName: {{ include "footnote.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
volumes:
  - name: home
    emptyDir: {sizeLimit: {{ .Values.scratchSize }}}
  - name: temporary
    emptyDir: {sizeLimit: {{ .Values.scratchSize }}}
  {{- if .Values.persistence.enabled }}
  - name: blobs
    persistentVolumeClaim:
      claimName: {{ default (printf "%s-blobs" (include "footnote.name" .)) .Values.persistence.existingClaim }}
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
